"use strict";
// A click on the head of a column sorts the table by it, and another click the other way round. Rows that say more of the
// row above stay below it. Cells without a figure come last.
const units = { k: 1e3, M: 1e6, G: 1e9, µs: 1e3, ms: 1e6, s: 1e9, kB: 1e3, MB: 1e6, GB: 1e9 };

function figure(cell) {
	const found = /^\(?(?:same: |n\^|under )?(-?[\d.]+(?:e-\d+)?) ?([kMG]?B|[kMG]|µs|ms|s)?(?![a-z])/.exec(cell.textContent);
	return found ? Number(found[1]) * (units[found[2]] ?? 1) : NaN;
}

for (const table of document.querySelectorAll("table")) {
	const heads = [...table.tHead.rows[0].cells];
	heads.forEach((head, column) => {
		const button = document.createElement("button");
		button.type = "button";
		button.append(...head.childNodes);
		head.append(button);
		button.addEventListener("click", () => {
			const sign = head.ariaSort === "ascending" ? -1 : 1;
			heads.forEach((other) => other.removeAttribute("aria-sort"));
			head.ariaSort = sign > 0 ? "ascending" : "descending";
			const groups = [];
			for (const row of table.tBodies[0].rows) {
				row.className === "more" ? groups.at(-1).push(row) : groups.push([row]);
			}
			groups.sort(([a], [b]) => {
				const x = figure(a.cells[column]), y = figure(b.cells[column]);
				if (isNaN(x) && isNaN(y)) {
					return sign * a.cells[column].textContent.localeCompare(b.cells[column].textContent, "en", { numeric: true });
				}
				return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
			});
			table.tBodies[0].append(...groups.flat());
		});
	});
}
