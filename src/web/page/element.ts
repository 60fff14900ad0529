/** An element with its children. A text is always text: no page makes HTML of it. */
export function element(tag: string, children: readonly (Node | string)[], className = ''): HTMLElement {
	const made = document.createElement(tag);
	made.append(...children);
	if (className !== '') made.className = className;
	// A wide table or block scrolls by itself, also by key.
	if (tag === 'pre' || tag === 'table') made.tabIndex = 0;
	return made;
}
