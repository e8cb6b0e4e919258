"use strict";
// SPDX-License-Identifier: GPL-2.0-or-later
// Sorting and filtering of tables. The page is complete without.
for (const table of document.querySelectorAll("table.sortable")) {
	const body = table.tBodies[0];
	const rows = Array.from(body.rows).filter((row) => !row.classList.contains("rest"));
	if (rows.length < 2)
		continue;
	const key = (row, index) => {
		const cell = row.cells[index];
		if (!("v" in cell.dataset))
			return cell.textContent;
		return cell.dataset.v === "" ? NaN : Number(cell.dataset.v);
	};
	const headings = Array.from(table.tHead.rows[0].cells);
	const sort = (index) => {
		const heading = headings[index];
		const numbers = heading.classList.contains("n");
		const was = heading.getAttribute("aria-sort");
		const descending = was ? was === "ascending" : numbers;
		for (const other of headings)
			other.removeAttribute("aria-sort");
		heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
		const order = rows.map((row) => [key(row, index), row]);
		const sign = descending ? -1 : 1;
		// what is not known comes last, whichever way
		order.sort(([a], [b]) => numbers ? isNaN(a) - isNaN(b) || sign * (a - b) || 0 : sign * a.localeCompare(b));
		body.prepend(...order.map((pair) => pair[1]));
	};
	headings.forEach((heading, index) => {
		const button = document.createElement("button");
		button.type = "button";
		button.append(...heading.childNodes);
		button.addEventListener("click", () => sort(index));
		heading.append(button);
	});
	if (rows.length < 20)
		continue;
	const label = document.createElement("label");
	const input = document.createElement("input");
	label.className = "filter note";
	input.type = "search";
	label.append("Filter: ", input);
	input.addEventListener("input", () => {
		const wanted = input.value.toLowerCase();
		for (const row of rows)
			row.hidden = !row.textContent.toLowerCase().includes(wanted);
	});
	table.parentElement.before(label);
}
