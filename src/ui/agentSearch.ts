import * as vscode from 'vscode';
import { DisposableStore } from '../base/lifetime.ts';
import { SETTINGS } from './contributions.ts';
import type { ContextKeys } from './contextKeys.ts';
import type { Failures } from './kit/failures.ts';
import type { Operations } from './ports.ts';
import { canBeChosen } from './start/startChoice.ts';

/** Keeps the context keys that say whether an agent CLI was found. A user without one installs one and comes back to the window. */
export function searchAgents(
	operations: Pick<Operations, 'agents'>,
	failures: Failures,
	keys: ContextKeys,
): vscode.Disposable {
	const own = new DisposableStore();
	let isFound = false;
	const search = async () => {
		const agents = await operations.agents();
		isFound = agents.some(({ found }) => found !== undefined);
		keys.set('agentFound', isFound);
		keys.set('agentMissing', !agents.some(canBeChosen));
	};
	const again = () => failures.background(search());
	own.add(
		vscode.workspace.onDidChangeConfiguration(
			change => ['nancy.agents', SETTINGS.agentServers].some(key => change.affectsConfiguration(key)) && again(),
		),
	);
	own.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && !isFound && again()));
	own.add(vscode.workspace.onDidGrantWorkspaceTrust(again));
	again();
	return own;
}
