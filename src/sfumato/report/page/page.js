"use strict";
// Draws the charts. Their words and numbers are all in the tables too, so the page reads without.
const figures = JSON.parse(document.getElementById("figures").textContent);
const options = { displayModeBar: false, responsive: true, doubleClick: false };
for (const [place, figure] of Object.entries(figures)) {
  Plotly.newPlot(place, figure.data, figure.layout, options);
}
const charts = [...document.querySelectorAll(".chart")];
window.addEventListener("beforeprint", () => {
  for (const chart of charts) Plotly.relayout(chart, { width: 620 });
});
window.addEventListener("afterprint", () => {
  for (const chart of charts) Plotly.relayout(chart, { width: null, autosize: true });
});
