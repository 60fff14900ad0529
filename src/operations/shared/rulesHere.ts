import { realOr } from '../../base/realPath.ts';
import { Questions } from '../../core/questions/questions.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { RulesFile } from '../../protocol/deskRules.ts';
import type { RulesOutput } from '../../protocol/output/rules.ts';

/** The rules of a workspace, and how often each has answered. */
export async function rulesHere(workspace: Workspace, { isPaused, rules }: RulesFile): Promise<RulesOutput> {
	const desk = new Questions(workspace.own);
	const here = rules.filter(rule => rule.workspace === realOr(workspace.folder));
	return { isPaused, rules: await Promise.all(here.map(async rule => ({ rule, used: await desk.usesOf(rule) }))) };
}
