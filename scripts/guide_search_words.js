// SPDX-License-Identifier: Apache-2.0
// The build of the guide puts this before the worker of the theme's search. The theme looks for all words of
// a query, "how" and "do" as well, and for each word as the beginning of others: "duplicates" misses
// "duplicate". This leaves the words out that all pages have, and adds the part of a word that its other
// forms share, and the words of a name. The theme puts the page with the best section first, and this the page
// with the best sections.

(() => {
  const QUERY = 2;
  const RESULT = 3;
  const WORD = 2; // the weight of the word as it is; its other forms have 1
  const NAME = 8; // the weight of a name such as maxFilesPerTrigger; each of its words has 1
  const SHORTEST = 3; // letters that two forms of a word must share
  const EVERYWHERE = new Set(["spark", "stoplog", "want", "need", "use", "using"]);
  const OPERATOR = /["*~^]|(^|\s)[+-]|\b(title|text|tags):/;

  const isTelling = (word) => lunr.stopWordFilter(word) !== undefined && !EVERYWHERE.has(word);

  /** "policies" and "policy" share "polic"; the stem of both is "polici". */
  function sharedPart(word) {
    const stem = lunr.stemmer(new lunr.Token(word)).toString().replace(/i$/, "");
    let letters = 0;
    while (letters < stem.length && stem[letters] === word[letters]) letters++;
    return letters < SHORTEST ? word : word.slice(0, letters);
  }

  const wordsOf = (name) => name.match(/^[a-z]+(?=[A-Z])|[A-Z][a-z]+/g) ?? [];

  function forms(written) {
    const word = written.toLowerCase().replace(/^'+|[.']+$/g, "");
    if (!word || !isTelling(word)) return [];
    const parts = wordsOf(written).map((part) => part.toLowerCase());
    const beginnings = parts.filter(isTelling).map((part) => `${sharedPart(part)}*`);
    if (parts.length > 1) return [`${word}*^${NAME}`, ...beginnings];
    return [`${word}^${WORD}`, `${sharedPart(word)}*`];
  }

  function rewritten(query) {
    if (OPERATOR.test(query)) return query;
    const separator = new RegExp(lunr.tokenizer.separator, "g");
    return query.split(separator).flatMap(forms).join(" ") || query;
  }

  /** The hits of a page: each section has a score, and names the words of the query that it has or lacks. */
  function worth(sections) {
    const found = {};
    for (const { terms } of sections) for (const word in terms) found[word] ||= terms[word];
    const shares = Object.values(found);
    const share = shares.length ? shares.filter(Boolean).length / shares.length : 0;
    return Math.hypot(...sections.map((section) => section.score)) * (1 + share ** 2);
  }

  const post = self.postMessage.bind(self);
  self.postMessage = (message) => {
    if (message.type === RESULT) message.data.items.sort((one, other) => worth(other) - worth(one));
    post(message);
  };

  // The theme's own listener comes later, and reads the same message.
  addEventListener("message", ({ data }) => {
    if (data.type === QUERY) data.data = rewritten(data.data);
  });
})();
