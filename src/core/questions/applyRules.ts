import { hasCode } from '../../base/errors.ts';
import { realOr } from '../../base/realPath.ts';
import type { Rule, RulesFile } from '../../protocol/deskRules.ts';
import type { Question } from '../../protocol/question.ts';
import { holdingOwnLock } from '../files/holdingLock.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { DeskRules } from './deskRules.ts';
import type { Questions } from './questions.ts';
import { effectOf, ruleFor } from './ruleFor.ts';

/**
 * Answers the open questions that a rule of the user's is for. For a desk that a person looks at, never for a hook: nothing below an agent answers.
 * @throws NancyError `not-trusted` if somebody else has written the rules
 */
export async function applyRules(workspace: Workspace, questions: Questions, rules: DeskRules): Promise<void> {
	const open = (await questions.open()).filter(({ answer }) => !answer);
	if (open.length === 0) return;
	const known = await rules.read();
	for (const { question } of open) {
		if (!(await found(workspace, questions, question, known))) continue;
		// So that windows that look at the same time do not exceed the count.
		await holdingOwnLock(workspace.own, 'desk-rules.lock', async () => {
			const rule = await found(workspace, questions, question, await rules.read());
			if (rule) await answerBy(rule, question, questions);
		});
	}
}

function found(
	workspace: Workspace,
	questions: Questions,
	question: Question,
	rules: RulesFile,
): Promise<Rule | undefined> {
	return ruleFor(question, rules, {
		workspace: realOr(workspace.folder),
		nowMs: Date.now(),
		isUsedUp: async rule => rule.effect === 'once' && (await questions.usesOf(rule)) >= rule.uses,
	});
}

async function answerBy(rule: Rule, question: Question, questions: Questions): Promise<void> {
	try {
		await questions.answer({
			version: 1,
			question: question.id,
			digest: question.digest,
			effect: effectOf(rule, question),
			by: 'rule',
			rule: rule.id,
			at: new Date().toISOString(),
		});
	} catch (error) {
		// A person, or another window, was first; or nobody waits any more.
		if (!hasCode(error, 'wrong-state')) throw error;
	}
}
