import * as vscode from 'vscode';
import { DisposableStore } from '../base/lifetime.ts';
import type { ContextKeys } from './contextKeys.ts';
import type { Failures } from './kit/failures.ts';
import type { Operations } from './ports.ts';

/** Keeps the context keys that say whether an agent CLI was found. A user without one installs one and comes back to the window. */
export function searchAgents(
	operations: Pick<Operations, 'agents'>,
	failures: Failures,
	keys: ContextKeys,
): vscode.Disposable {
	const own = new DisposableStore();
	let isMissing = true;
	const search = async () => {
		isMissing = (await operations.agents()).every(({ found }) => found === undefined);
		keys.set('agentFound', !isMissing);
		keys.set('agentMissing', isMissing);
	};
	const again = () => failures.background(search());
	own.add(
		vscode.workspace.onDidChangeConfiguration(change => change.affectsConfiguration('nancy.agents') && again()),
	);
	own.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && isMissing && again()));
	own.add(vscode.workspace.onDidGrantWorkspaceTrust(again));
	again();
	return own;
}
