"use strict";
// Draws the charts. Their words and numbers are all in the tables too, so the page reads without.
const figures = JSON.parse(document.getElementById("figures").textContent);
const options = { displayModeBar: false, responsive: true, doubleClick: false };
for (const [place, figure] of Object.entries(figures)) {
  Plotly.newPlot(place, figure.data, figure.layout, options);
}
const charts = [...document.querySelectorAll(".chart")];
const tables = [...document.querySelectorAll("details:not([open])")];
window.addEventListener("beforeprint", () => {
  for (const table of tables) table.open = true;
  for (const chart of charts) Plotly.relayout(chart, { width: 620 });
});
window.addEventListener("afterprint", () => {
  for (const table of tables) table.open = false;
  for (const chart of charts) Plotly.relayout(chart, { width: null, autosize: true });
});
