import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import { readMail } from '../inbox/mailCommands.ts';
import type { MessagePanel } from '../inbox/messagePanel.ts';
import { keyOf } from '../inbox/recipients.ts';
import { pickOne } from '../kit/inputs.ts';
import { inform } from '../kit/messages.ts';
import type { Operations } from '../ports.ts';
import type { QuestionPanel } from '../questions/questionPanel.ts';
import type { Terminals } from '../tasks/terminals.ts';
import { alertKey, needsOf, stopOf, type Need } from './needs.ts';
import { needRow } from './needWords.ts';
import { nextAfter } from './round.ts';
import type { SeenStops } from './seenStops.ts';
import type { WorkerItem } from '../tasks/tasksView.ts';

export interface NeedCollaborators {
	folders: Folders;
	operations: Operations;
	terminals: Terminals;
	seen: SeenStops;
	messages: MessagePanel;
	questions: QuestionPanel;
	agentName: (driver: string) => string;
}

/** The commands that lead to what needs the user. */
export function needHandlers(own: NeedCollaborators) {
	// Where the user was last.
	let last: string | undefined;
	return {
		'nancy.showAttention': () => showAttention(own),
		'nancy.nextNeed': async () => {
			const next = nextAfter(needsOf(own.folders, own.seen), last);
			last = next?.place;
			if (next) await goTo(own, next);
			else void inform(l10n.t('No agent needs you.'));
		},
	};
}

/** The user has looked at what the worker did and its CLI told. */
export function seeStop(seen: SeenStops, item: WorkerItem): void {
	const at = stopOf(item.worker);
	if (at !== undefined) seen.see(keyOf(item), at);
	const alerted = item.worker.alert?.at;
	if (alerted !== undefined) seen.see(alertKey(keyOf(item)), alerted);
}

/** A list of all that needs the user; the inbox, where messages wait for agents, if nothing does. */
async function showAttention(own: NeedCollaborators): Promise<void> {
	const needs = needsOf(own.folders, own.seen);
	if (needs.length === 0) return void (await vscode.commands.executeCommand(`${VIEWS.inbox}.focus`));
	const rows = needs.map(need => needRow(need, own.agentName));
	const chosen = await pickOne(l10n.t('What Needs You'), rows);
	if (chosen) await goTo(own, chosen.value);
}

async function goTo(own: NeedCollaborators, need: Need): Promise<void> {
	const { operations, terminals, seen, messages, questions } = own;
	switch (need.kind) {
		case 'question':
			return questions.show(need.item);
		case 'waiting':
		case 'stopped':
		case 'alert':
			seeStop(seen, need.item);
			return terminals.focus(need.item);
		case 'message':
		case 'delegate':
			messages.show(need.item, false);
			await readMail(operations, need.item);
	}
}
