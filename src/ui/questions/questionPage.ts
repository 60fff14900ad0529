import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { visible, visibleLine } from '../../base/visible.ts';
import { isYes } from '../../core/questions/reply.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import type { Choice, Question } from '../../protocol/question.ts';
import type { Live, Offer, ShownQuestion } from '../../protocol/questionPage.ts';
import { formatAge, formatDateTime } from '../kit/format.ts';
import type { Folder } from '../ports.ts';
import { whoAsks, type QuestionItem } from './questionItem.ts';
import { choiceLabel, ruleWords, stateWords } from './questionWords.ts';

/** Letters of a line on the page. What decides is never cut. */
const LINE = 300;

/** The whole request, safe to show. */
export function shownQuestion(item: QuestionItem, agentName: (driver: string) => string): ShownQuestion {
	const { question } = item.asked;
	const { id, digest, body, bodyIs, also, fields, kind } = question;
	return {
		type: 'question',
		id,
		digest,
		heading: visibleLine(headingOf(item, agentName), LINE),
		facts: factsOf(item, agentName)
			.filter(([, value]) => value !== '')
			.map(([name, value]) => ({ name, value: visible(value) })),
		// A model's questions are the fields below.
		body: kind === 'choice' ? '' : visible(body),
		bodyIs,
		also: also.map(({ name, value }) => ({ name: visibleLine(name, LINE), value: visible(value) })),
		fields: fields.map(field => ({
			question: visible(field.question),
			isMultiple: field.isMultiple,
			options: field.options.map(({ label, description = '' }) => ({
				label: visible(label),
				description: visible(description),
			})),
		})),
		offers: vscode.workspace.isTrusted ? question.choices.map(choice => offerOf(question, choice)) : [],
		note: noteOf(question),
		words: {
			body: bodyName(question),
			answer: l10n.t('Your answer'),
			other: l10n.t('Your own answer'),
			why: l10n.t('With a No: what the agent is told'),
		},
	};
}

/** @param problem why the last answer was not taken. What became of the question since counts more */
export function liveQuestion(
	item: QuestionItem,
	{ problem, hasTerminal, next }: { problem: string; hasTerminal: boolean; next: string },
): Live {
	const { question, answer, outcome } = item.asked;
	const isOpen = !answer && !outcome && vscode.workspace.isTrusted;
	return {
		type: 'live',
		isOpen,
		state: visibleLine(stateWords(item.asked) || problem, LINE),
		facts: [isOpen ? l10n.t('Asked {0} ago.', formatAge(question.askedAt)) : '', where(question, hasTerminal)]
			.filter(Boolean)
			.join(' '),
		// A delegate has none: the terminal is that of the agent which asked for it.
		terminal: hasTerminal && question.delegate === undefined ? l10n.t('Go to the Terminal') : '',
		next,
	};
}

function where({ delegate }: Question, hasTerminal: boolean): string {
	if (delegate !== undefined) return l10n.t('A delegate has no terminal: without an answer, its request is denied.');
	return hasTerminal ? l10n.t('Its terminal is open in this window.') : l10n.t('Its terminal is not in this window.');
}

function headingOf(item: QuestionItem, agentName: (driver: string) => string): string {
	const { kind, tool } = item.asked.question;
	const who = whoAsks(item, agentName);
	switch (kind) {
		case 'tool':
			return l10n.t('{0} asks for {1}', who, tool);
		case 'choice':
			return l10n.t('{0} asks you', who);
		case 'plan':
			return l10n.t('{0} has a plan', who);
	}
}

function factsOf(
	{ folder, asked: { question, address } }: QuestionItem,
	agentName: (driver: string) => string,
): (readonly [name: string, value: string])[] {
	const { delegate, subagent, subagentName, cwd, files, tool } = question;
	const sub = subagent === undefined ? '' : [subagentName, subagent].filter(Boolean).join(' · ');
	return [
		[l10n.t('Agent'), agentName(question.driver)],
		[l10n.t('Task'), address ? `${address.task} / ${address.worker}` : l10n.t('none that Nancy knows')],
		[l10n.t('As delegate'), delegate === undefined ? '' : delegateName(folder, delegate)],
		[l10n.t('Subagent'), sub],
		[l10n.t('Tool'), tool],
		[l10n.t('Folder'), cwd ?? folder.path],
		[l10n.t('Files'), files.join('\n')],
		[l10n.t('Asked'), formatDateTime(question.askedAt)],
	];
}

function delegateName(folder: Pick<Folder, 'delegates'>, id: DelegateId): string {
	const title = folder.delegates().find(({ record }) => record.id === id)?.record.title;
	return [title, id].filter(Boolean).join(' · ');
}

function bodyName({ bodyIs }: Question): string {
	switch (bodyIs) {
		case 'command':
			return l10n.t('Command');
		case 'diff':
			return l10n.t('Change');
		case 'plan':
			return l10n.t('Plan');
		case 'json':
			return l10n.t('Input');
		case 'text':
			return l10n.t('Content');
	}
}

function offerOf(question: Question, choice: Choice): Offer {
	return {
		effect: choice.effect,
		isYes: isYes(choice.effect),
		label: choiceLabel(question, choice.effect),
		about: visible(ruleWords(choice)),
		rule: visible(choice.rule ?? ''),
	};
}

function noteOf({ isWhole, delegate }: Question): string {
	if (!vscode.workspace.isTrusted) return l10n.t('Restricted Mode: nothing is answered here.');
	if (isWhole) return '';
	return delegate === undefined
		? l10n.t(
				'A part of the request is not shown here: it is too long, or has what looks like a secret. So it can be allowed in the agent’s terminal alone.',
			)
		: l10n.t(
				'A part of the request is not shown here: it is too long, or has what looks like a secret. So it cannot be allowed.',
			);
}
