// SPDX-License-Identifier: Apache-2.0
// Runs the search of a built guide: `node scripts/guide_search.mjs build/guide < queries.json` prints, for each
// query of a JSON list, the pages that the guide's search box would show, best first. The program is the guide's
// own: the worker script of the theme, and the index of the guide.

import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [guide] = process.argv.slice(2);
const workers = path.join(guide, "assets/javascripts/workers");
const script = path.join(workers, fs.readdirSync(workers).find((name) => /^search\..*\.js$/.test(name)));
const index = JSON.parse(fs.readFileSync(path.join(guide, "search/search_index.json"), "utf8"));
const Message = { SETUP: 0, READY: 1, QUERY: 2, RESULT: 3 };

// The worker sets global names, of the language and of the index.
const worker = { listeners: [], answers: [] };
globalThis.self = globalThis;
globalThis.addEventListener = (kind, listener) => kind === "message" && worker.listeners.push(listener);
globalThis.postMessage = (message) => worker.answers.push(message);
globalThis.importScripts = () => {};
vm.runInThisContext(fs.readFileSync(script, "utf8"), { filename: script });

async function ask(type, data, answer) {
  const event = { data: { type, data } }; // as in a browser, all listeners have the same
  await Promise.all(worker.listeners.map((listener) => listener(event)));
  while (!worker.answers.some((message) => message.type === answer)) await new Promise(setImmediate);
  return worker.answers.splice(0).find((message) => message.type === answer).data;
}

await ask(Message.SETUP, { ...index, options: { suggest: false } }, Message.READY);
const found = [];
for (const query of JSON.parse(fs.readFileSync(0, "utf8"))) {
  const { items } = await ask(Message.QUERY, query, Message.RESULT);
  found.push(items.map(([page]) => page.location.split("#")[0]));
}
console.log(JSON.stringify(found));
