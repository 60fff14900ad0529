import { LastQuestion } from './lastQuestion.ts';
import { mentionAt, type Mention } from './mention.ts';

/** A row is as high as in compose.css, in pixels. */
const ROW = 22;

/** The list of files below the text, for the `@` at the caret. The focus stays in the text. */
export class FileList {
	private mention: Mention | undefined;
	private active = 0;
	private readonly search: LastQuestion;

	constructor(
		private readonly text: HTMLTextAreaElement,
		private readonly list: HTMLElement,
		ask: (query: string) => void,
		private readonly onInsert: () => void,
	) {
		this.search = new LastQuestion(ask);
		text.addEventListener('input', () => this.look());
		text.addEventListener('click', () => this.look());
		text.addEventListener('blur', () => this.close());
		// A click must not take the focus: the list would be gone before it is chosen from.
		list.addEventListener('mousedown', event => event.preventDefault());
		list.addEventListener('click', event => {
			const row = event.target instanceof Element ? event.target.closest('[role=option]') : null;
			if (row) this.insert(row.textContent);
		});
	}

	/** Shows the answer to a question, unless the text has changed since. */
	show(query: string, files: readonly string[]): void {
		if (!this.search.isLast(query)) return;
		if (files.length === 0) return this.hide();
		const rows = files.map((file, at) => {
			const row = document.createElement('li');
			row.id = `file-${at}`;
			row.role = 'option';
			row.textContent = file;
			row.title = file;
			return row;
		});
		this.list.replaceChildren(...rows);
		this.list.hidden = false;
		this.place();
		this.mark(0);
	}

	/** @returns whether the key was for the list */
	takeKey(event: KeyboardEvent): boolean {
		if (this.list.hidden || event.ctrlKey || event.metaKey || event.altKey) return false;
		switch (event.key) {
			case 'ArrowDown':
				this.mark(this.active + 1);
				return true;
			case 'ArrowUp':
				this.mark(this.active - 1);
				return true;
			case 'Enter':
			case 'Tab':
				this.insert(this.list.children[this.active]?.textContent ?? '');
				return true;
			case 'Escape':
				this.close();
				return true;
			default:
				return false;
		}
	}

	private look(): void {
		const { selectionStart, selectionEnd, value } = this.text;
		this.mention = selectionStart === selectionEnd ? mentionAt(value, selectionStart) : undefined;
		if (!this.mention) return this.close();
		const { query } = this.mention;
		if (this.search.isLast(query)) return;
		this.search.put(query);
		this.narrow(query);
	}

	/** Until the answer is there, only rows that still fit can be chosen. */
	private narrow(query: string): void {
		const rows = [...this.list.children];
		const others = rows.filter(({ textContent }) => !textContent.toLowerCase().includes(query.toLowerCase()));
		for (const row of others) row.remove();
		if (others.length === rows.length) this.hide();
		else if (others.length > 0) this.mark(0);
	}

	private insert(file: string): void {
		if (!this.mention) return;
		const { start, query } = this.mention;
		this.text.setRangeText(`@${file} `, start, start + 1 + query.length, 'end');
		this.close();
		this.onInsert();
	}

	private close(): void {
		this.mention = undefined;
		this.search.drop();
		this.hide();
	}

	private hide(): void {
		this.list.hidden = true;
		this.list.replaceChildren();
		this.text.removeAttribute('aria-activedescendant');
	}

	private mark(wanted: number): void {
		const rows = [...this.list.children];
		this.active = (wanted + rows.length) % rows.length;
		for (const [at, row] of rows.entries()) row.ariaSelected = String(at === this.active);
		const row = rows[this.active];
		row?.scrollIntoView({ block: 'nearest' });
		this.text.setAttribute('aria-activedescendant', row?.id ?? '');
	}

	/** Below the text, with as many rows as there is room for. Where there is room for less than two, over the end of the text. */
	private place(): void {
		const { bottom } = this.text.getBoundingClientRect();
		const heightOf = (rows: number) => Math.min(this.list.children.length, rows) * ROW + 2;
		const room = window.innerHeight - bottom - 2;
		const height = Math.max(heightOf(2), Math.min(heightOf(8), room));
		this.list.style.top = `${Math.max(0, Math.min(bottom, window.innerHeight - height - 2))}px`;
		this.list.style.maxHeight = `${height}px`;
	}
}
