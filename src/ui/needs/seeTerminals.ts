import type * as vscode from 'vscode';
import type { Event } from '../../base/event.ts';
import { DisposableStore } from '../../base/lifetime.ts';

type Window = Pick<
	typeof vscode.window,
	'activeTerminal' | 'onDidChangeActiveTerminal' | 'onDidChangeWindowState' | 'state'
>;

/**
 * A user who has an agent's terminal in front, in a window that has the focus, sees what the agent does.
 * @param changes tell that an agent may have done something
 * @param see gets the process in the terminal
 */
export function seeTerminals(
	window: Window,
	changes: readonly Event<unknown>[],
	see: (pid: number) => void,
): vscode.Disposable {
	const own = new DisposableStore();
	let pid: number | undefined;
	const look = () => {
		if (pid !== undefined && window.state.focused) see(pid);
	};
	const follow = async () => {
		const terminal = window.activeTerminal;
		pid = undefined;
		const found = await terminal?.processId;
		if (terminal !== window.activeTerminal) return;
		pid = found;
		look();
	};
	own.add(window.onDidChangeActiveTerminal(() => void follow()));
	own.add(window.onDidChangeWindowState(look));
	for (const change of changes) own.add(change(look));
	void follow();
	return own;
}
