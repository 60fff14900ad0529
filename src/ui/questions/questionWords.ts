import { l10n } from 'vscode';
import type { LiveQuestion } from '../../core/live/liveQuestions.ts';
import { isYes } from '../../core/questions/reply.ts';
import type { Choice, Effect, Outcome, Question } from '../../protocol/question.ts';

/** The words of questions and answers as a person reads them. */

/** `Bash: rm -rf build`, in one line. */
export function askedWords({ kind, tool, title }: Pick<Question, 'kind' | 'tool' | 'title'>): string {
	switch (kind) {
		case 'tool':
			return title === tool ? tool : `${tool}: ${title}`;
		case 'choice':
			return title;
		case 'plan':
			return l10n.t('Plan: {0}', title);
	}
}

/** On the button of an answer. */
export function choiceLabel({ kind }: Pick<Question, 'kind'>, effect: Effect): string {
	switch (effect) {
		case 'once':
			if (kind === 'choice') return l10n.t('Send the Answer');
			return kind === 'plan' ? l10n.t('Carry It Out') : l10n.t('Allow Once');
		case 'session':
			return kind === 'plan' ? l10n.t('Carry It Out, with a Rule') : l10n.t('Allow in This Session');
		case 'folder':
			return l10n.t('Allow in This Folder');
		case 'user':
			return l10n.t('Allow Everywhere');
		case 'no':
			return l10n.t('No');
		case 'end':
			return l10n.t('No, and End the Turn');
	}
}

/** How long the rule of an answer holds. Empty for an answer without a rule. */
export function ruleWords({ effect, rule, keptIn }: Choice): string {
	if (rule === undefined) return '';
	if (keptIn !== undefined) return l10n.t('Adds this rule to {0}:', keptIn);
	return effect === 'session' ? l10n.t('Adds this rule until the session ends:') : l10n.t('Adds this rule:');
}

/** What became of a question, in a sentence. Empty while nobody has answered. */
export function stateWords({ question, answer, outcome }: Omit<LiveQuestion, 'address'>): string {
	const label = answer ? choiceLabel(question, answer.effect) : '';
	const byRule = answer?.by === 'rule' ? l10n.t('Answered by your rule: {0}.', label) : '';
	if (outcome) {
		const words = outcomeWords(question, outcome, answer && isYes(answer.effect));
		return [byRule, words].filter(Boolean).join(' ');
	}
	if (!answer) return '';
	switch (answer.by) {
		case 'vscode':
			return l10n.t('Sent: {0}. The agent has not yet reported what came of it.', label);
		case 'command':
			return l10n.t('Answered with the nancy command: {0}.', label);
		case 'page':
			return l10n.t('Answered on the device “{0}”: {1}.', answer.device ?? '?', label);
		case 'rule':
			return byRule;
	}
}

function outcomeWords({ kind }: Question, { state, evidence }: Outcome, saidYes: boolean | undefined): string {
	switch (state) {
		case 'applied':
			if (!saidYes) return l10n.t('Denied, as you answered ({0}).', evidence);
			return kind === 'tool'
				? l10n.t('Allowed, and done ({0}).', evidence)
				: l10n.t('The agent has your answer ({0}).', evidence);
		case 'yes-elsewhere':
			return l10n.t('Answered with Yes in the agent’s terminal ({0}).', evidence);
		case 'no-elsewhere':
			return l10n.t('Answered with No in the agent’s terminal ({0}).', evidence);
		case 'late':
			return l10n.t('Too late: the agent had its answer already ({0}).', evidence);
		case 'ended':
			return l10n.t('Nobody is asked any more ({0}).', evidence);
		case 'silent':
			return l10n.t('Nancy can no longer carry an answer. If the agent still asks, answer in its terminal.');
		case 'refused':
			return l10n.t('The answer was refused: {0}', evidence);
	}
}
