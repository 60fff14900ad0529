import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { hostOf } from '../../protocol/executorId.ts';
import type { Executor } from '../../protocol/output/executors.ts';
import type { Documents } from '../documents.ts';
import type { Folders } from '../folders.ts';
import { askLine, pickOne, type Choice } from '../kit/inputs.ts';
import { inform } from '../kit/messages.ts';
import { openFile } from '../kit/openFile.ts';
import { cancellable } from '../kit/progress.ts';
import { pickFolder } from '../pickers.ts';
import type { Folder } from '../ports.ts';
import type { ExecutorOperations } from './executorPorts.ts';
import { executorReport } from './executorReport.ts';

export interface ExecutorCollaborators {
	folders: Folders;
	executors: ExecutorOperations;
	documents: Documents;
	agentName: (driver: string) => string;
}

/** The commands for the machines that delegates can run on. */
export function executorHandlers(own: ExecutorCollaborators) {
	return { 'nancy.executors': () => executors(own) };
}

interface Row extends Choice {
	act: () => Promise<void>;
}

/** Lists the machines of the user's settings, and offers the other hosts of `~/.ssh/config`. It connects to none before a person says so. */
async function executors(own: ExecutorCollaborators): Promise<void> {
	// The user's settings of machines are the same in all folders.
	const folder = own.folders.list()[0] ?? (await pickFolder(own.folders));
	const all = await own.executors.list(folder);
	const named = all.filter(({ from }) => from === 'settings');
	const others = all.filter(({ from, id }) => from === 'ssh' && !named.some(each => each.id === id));
	const hosts = others.flatMap(({ id }) => hostOf(id) ?? []);
	if (named.length + hosts.length === 0) {
		void inform(l10n.t('No other machine is known: ~/.ssh/config names no host. Delegates run on this machine.'));
		return;
	}
	const chosen = await pickOne(l10n.t('Executors: Machines for Delegates'), rows(own, folder, named, hosts));
	await chosen?.act();
}

function rows(own: ExecutorCollaborators, folder: Folder, named: readonly Executor[], hosts: readonly string[]): Row[] {
	const probeAll = {
		icon: 'pulse',
		label: l10n.t('Check All Machines'),
		act: () =>
			probe(
				own,
				folder,
				named.map(({ name }) => name),
			),
	};
	return [
		...(named.length > 0 ? [heading(l10n.t('in your settings: to check'))] : []),
		...named.map(executor => ({
			icon: 'server',
			label: executor.name,
			description: [executor.id, limitWords(executor), executor.fromAgents && l10n.t('open to agents')]
				.filter(Boolean)
				.join(' · '),
			act: () => probe(own, folder, [executor.name]),
		})),
		...(named.length > 1 ? [probeAll] : []),
		...(hosts.length > 0 ? [heading(l10n.t('in ~/.ssh/config: to add'))] : []),
		...hosts.map(host => ({
			icon: 'add',
			label: host,
			act: () => add(own, folder, host, named),
		})),
	];
}

function heading(label: string): Row {
	return { kind: vscode.QuickPickItemKind.Separator, label, act: () => Promise.resolve() };
}

function limitWords({ max }: Executor): string {
	if (max === undefined) return '';
	return max === 1 ? l10n.t('at most one delegate at once') : l10n.t('at most {0} delegates at once', max);
}

async function probe(own: ExecutorCollaborators, folder: Folder, names: readonly string[]): Promise<void> {
	const title = l10n.t('Checking {0}…', names.join(', '));
	const answers = await cancellable(title, signal =>
		// The connections themselves go on to their time limits.
		Promise.race([own.executors.probe(folder, names), cancelled(signal)]),
	);
	await own.documents.openReport(l10n.t('Machines for Delegates'), executorReport(answers, own.agentName));
}

function cancelled(signal: AbortSignal): Promise<never> {
	return new Promise((_, reject) => {
		signal.addEventListener('abort', () => reject(new vscode.CancellationError()), { once: true });
	});
}

async function add(
	own: ExecutorCollaborators,
	folder: Folder,
	host: string,
	named: readonly Executor[],
): Promise<void> {
	const typed = await askLine(l10n.t('Add {0}', host), l10n.t('A name for it, as you choose it for a delegate'), {
		value: host,
		empty: l10n.t('Give the machine a name.'),
		refuse: name =>
			named.some(each => each.name === name) ? l10n.t('A machine is named “{0}” already.', name) : undefined,
	});
	if (typed === undefined) return;
	const name = typed.trim();
	const file = await own.executors.name(folder, name, host);
	const [check, open] = [l10n.t('Check'), l10n.t('Open Settings File')];
	const text = l10n.t('Delegates can run on “{0}” from now on. Its entry is in {1}.', name, file);
	const pressed = await inform(text, check, open);
	if (pressed === check) await probe(own, folder, [name]);
	else if (pressed === open) await openFile(file);
}
