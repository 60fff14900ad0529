/**
 * Switches off what a full-screen program leaves switched on when it is killed. That is the alternate screen, reports of the mouse and of
 * the focus, marks around a pasted text, and keys of other forms. It is also a part that scrolls, a hidden cursor, and colours. The cursor
 * is saved first, because leaving the alternate screen restores the cursor of the screen that is left over. So the cursor stays where no
 * alternate screen was entered.
 */
const NORMAL = [
	'\u001b7\u001b[r\u001b8\u001b[?1049l',
	...[1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 1].map(mode => `\u001b[?${mode}l`),
	'\u001b[?7h\u001b[?25h\u001b>\u001b[>4m\u001b[<u\u001b[0m',
].join('');

/** Brings this terminal back to what a shell expects. */
export function resetTerminal(): void {
	process.stdout.write(NORMAL);
}
