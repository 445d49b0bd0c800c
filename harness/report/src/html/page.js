// The page is complete without this script: it only filters the table of rules.
"use strict";
const form = document.getElementById("filter");
const rows = [...document.querySelectorAll("#all tbody tr")];

function filter() {
  const words = form.elements.text.value.toLowerCase().split(/\s+/);
  const verdict = form.elements.verdict.value;
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const fits = words.every((word) => text.includes(word));
    row.hidden = !(fits && (!verdict || row.dataset.verdict === verdict));
    shown += row.hidden ? 0 : 1;
  }
  form.elements.shown.value = shown === rows.length ? "" : `${shown} of ${rows.length}`;
}

form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
// A reloaded page keeps what was typed.
filter();
form.hidden = false;
