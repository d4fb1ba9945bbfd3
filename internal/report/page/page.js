"use strict";
// A click on the head of a column sorts the table by it, and another click the other way round.
// Rows of one tbody stay together; cells without a figure come last either way.
for (const table of document.querySelectorAll("table")) {
	const heads = [...table.tHead.rows[0].cells];
	heads.forEach((head, column) => {
		const button = document.createElement("button");
		button.type = "button";
		button.append(...head.childNodes);
		head.append(button);
		button.addEventListener("click", () => {
			const down = head.getAttribute("aria-sort") === "ascending";
			heads.forEach((other) => other.removeAttribute("aria-sort"));
			head.setAttribute("aria-sort", down ? "descending" : "ascending");
			sort(table, column, down ? -1 : 1);
		});
	});
}

function sort(table, column, sign) {
	const cell = (group) => group.rows[0].cells[column];
	const figure = (group) => (cell(group).dataset.sort === undefined ? NaN : Number(cell(group).dataset.sort));
	const groups = [...table.tBodies];
	const figures = groups.some((group) => !isNaN(figure(group)));
	groups.sort((a, b) => {
		const x = figure(a), y = figure(b);
		if (!figures) {
			return sign * cell(a).textContent.localeCompare(cell(b).textContent, "en", { numeric: true });
		}
		return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
	});
	table.append(...groups);
}

// What is folded is printed too.
addEventListener("beforeprint", () => {
	for (const folded of document.querySelectorAll("details:not([open])")) {
		folded.open = true;
		folded.dataset.printed = "";
	}
});
addEventListener("afterprint", () => {
	for (const opened of document.querySelectorAll("details[data-printed]")) {
		opened.open = false;
		delete opened.dataset.printed;
	}
});
