import { l10n } from 'vscode';
import { pathFrom } from '../base/inside.ts';
import { readResult } from '../core/delegates/resultText.ts';
import type { LiveQuestion } from '../core/live/liveQuestions.ts';
import { heldText, type LimitOf } from '../core/mailbox/held.ts';
import type { StoredMessage } from '../core/mailbox/mailboxFiles.ts';
import type { WorkerView } from '../core/live/overview.ts';
import type { MessageContent, MessageKind } from '../protocol/message.ts';
import type { Question } from '../protocol/question.ts';
import type { Rung } from '../protocol/records.ts';
import * as agents from '../words/agents.ts';
import * as messages from '../words/messages.ts';
import * as questions from '../words/questions.ts';
import { firstLine, formatMinutes, formatTime } from './kit/format.ts';
import { translated } from './kit/translated.ts';

/** The words of the domain as a person reads them, in the language of the window. */

export function phaseWord(state: Parameters<typeof agents.phaseWord>[0]): string {
	return translated(agents.phaseWord(state));
}

export function kindWord(kind: MessageKind): string {
	return translated(messages.kindWord(kind));
}

export function effectWord(effect: MessageContent['effect']): string | undefined {
	const word = messages.effectWord(effect);
	return word && translated(word);
}

export function stateWord(state: StoredMessage['state']): string {
	return translated(messages.stateWord(state));
}

export function askedWords(question: Parameters<typeof questions.askedWords>[0]): string {
	return translated(questions.askedWords(question));
}

/** Why a question deserves a closer look. */
export function riskWords({ risk = ['unread'] }: Pick<Question, 'risk'>): string {
	return risk.map(each => translated(questions.riskWords(each))).join(', ');
}

/** What a message is about, in a line. A delegate's result begins with a line for programs. */
export function subjectOf({ kind, text }: Pick<MessageContent, 'kind' | 'text'>): string {
	const result = kind === 'result' ? readResult(text) : undefined;
	if (!result) return firstLine(text);
	const title = firstLine(result.title, 60);
	if (result.isStopped) return l10n.t('Delegate stopped: {0}', title);
	return result.isDone ? l10n.t('Delegate done: {0}', title) : l10n.t('Delegate failed: {0}', title);
}

/** How a message reached the agent. */
export function rungWords(rung: Rung): string {
	switch (rung) {
		case 'hook':
			return l10n.t('handed over at this event');
		case 'wake':
			return l10n.t('the idle agent was woken by its doorbell');
		case 'waiter':
			return l10n.t('the idle agent was woken by its waiting hook');
		case 'queue':
			return l10n.t("put into the agent's own queue");
		case 'resume':
			return l10n.t('the session was resumed with it');
		case 'keys':
			return l10n.t('typed into the idle terminal');
		case 'steer':
			return l10n.t('given to the agent in the middle of its turn');
		case 'prompt':
			return l10n.t('given to the agent with a prompt, or as its next one');
		case 'tool':
			return l10n.t('the agent asked for it');
	}
}

/**
 * `working · 45k · Bash npm test · 2 min`, `asks: Bash npm test · 45k · 6 min`; the age is that of the state.
 * @param folder of the workspace
 * @param figures stand before what the agent does, which may be long
 * @param asked the worker's question that is not over
 */
export function stateLine(
	worker: Doing,
	folder: string,
	figures: readonly string[] = [],
	asked?: Pick<LiveQuestion, 'question' | 'answer'>,
): string {
	const { state } = worker;
	if (asked && !asked.answer)
		return [l10n.t('asks: {0}', asked.question.title), ...figures, formatMinutes(asked.question.askedAt)]
			.filter(Boolean)
			.join(' · ');
	if (asked && state.phase === 'waiting')
		return [l10n.t('answered'), ...figures, doingWords(worker, folder)].filter(Boolean).join(' · ');
	const age = formatMinutes(state.since);
	// Why a session ended is the CLI's own word for it: the hover has it.
	const doing = state.phase === 'ended' ? '' : doingWords(worker, folder);
	const isAsking = state.phase === 'waiting' && state.tool !== undefined;
	return [isAsking ? l10n.t('asks: {0}', doing) : phaseWord(state), ...figures, isAsking ? '' : doing, age]
		.filter(Boolean)
		.join(' · ');
}

type Doing = Pick<WorkerView, 'state' | 'worktree'>;

/**
 * `Bash npm test`, `Edit src/a.ts`, or the agent's last words. The path of a file is told from the agent's folder. A command stays as it is:
 * the user may be asked for it.
 * @param folder of the workspace
 */
export function doingWords({ state: { tool, summary, isOnFile }, worktree }: Doing, folder: string): string {
	const isPath = isOnFile && summary !== undefined;
	return [tool, isPath ? pathFrom(worktree?.folder ?? folder, summary) : summary].filter(Boolean).join(' ');
}

/** The agent's own words on its work, as such. */
export function saidWords({ said }: Pick<WorkerView, 'said'>, length = 60): string | undefined {
	return said && translated(agents.saidWords({ ...said, text: firstLine(said.text, length) }));
}

/** `delivered · PreToolUse Bash · 12:03:04 · in context`, or why it is still queued. */
export function messageLine({ state, receipt, held, content }: StoredMessage, limitOf: LimitOf): string {
	if (receipt) {
		const where = [receipt.event, receipt.tool].filter(Boolean).join(' ');
		const inContext = receipt.inContextAt === undefined ? undefined : l10n.t('in context');
		return [stateWord(state), where, formatTime(receipt.deliveredAt), inContext].filter(Boolean).join(' · ');
	}
	const urgent = content.priority === 'urgent' ? l10n.t('urgent') : undefined;
	const reason = held === undefined ? undefined : l10n.t('held: {0}', translated(heldText(held, limitOf)));
	return [stateWord(state), kindWord(content.kind), urgent, effectWord(content.effect), reason]
		.filter(Boolean)
		.join(' · ');
}
