import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorText, hasCode } from '../base/errors.ts';
import { makeFolder, writeFileAtomic } from '../base/atomicFile.ts';
import type { Asker } from '../core/asker/asker.ts';
import { permit } from '../core/asker/permit.ts';
import { agentEnvironment } from '../core/driver/agentEnvironment.ts';
import type { ExtractionTexts } from '../core/driver/extractor.ts';
import type { ExtractionResult } from '../core/memory/extractions.ts';
import { sealStart } from '../core/sessions/sealedAgents.ts';
import { seekerOf } from '../process/detect.ts';
import { runHeadless, type Ending } from '../process/headlessRun.ts';
import { ProjectName } from '../protocol/memoryNames.ts';
import { ExtractedOutput } from '../protocol/output/memory.ts';
import type { Operation, OperationContext } from './operation.ts';
import { findAgent } from './shared/agents.ts';
import { compileEverywhere } from './shared/compiledNotes.ts';
import { extractorFor } from './shared/extractorFor.ts';
import { openMemory } from './shared/memory.ts';

const Input = z.object({
	project: ProjectName,
	/** By default the oldest that is due. */
	task: z.optional(z.int().check(z.positive())),
	/** Also if it was extracted, skipped or has failed. */
	again: z._default(z.boolean(), false),
});
type Input = z.infer<typeof Input>;

export interface ExtractContext extends OperationContext {
	/** Ends the call. The task stays due. */
	readonly signal: AbortSignal;
}

const LIMITS = { wallMs: 120_000, idleMs: 120_000 };

/** Makes notes of a task by one call of the user's own agent, which has no tools, no hooks and no workspace. */
export const extractNotes: Operation<Input, ExtractedOutput, ExtractContext> = {
	name: 'extractNotes',
	input: Input,
	output: ExtractedOutput,
	async permit(asker) {
		permit(asker, { is: 'use-memory' });
	},
	async run(asker, { project, task: number, again }, context) {
		const memory = await openMemory(context.env);
		const nothing = {
			project,
			added: { architecture: 0, decisions: 0, failures: 0 },
			confirmed: 0,
			held: 0,
			dropped: [],
			plan: 'unchanged' as const,
		};
		const { extraction } = await memory.config();
		const { agent: asked } = extraction;
		if (asked !== undefined) extractorFor(asked);
		const claimed = await memory.extractions.claim(project, number, again);
		if (!claimed) return { ...nothing, state: 'none' };
		const { task, texts } = claimed;
		if (texts) {
			const answer = await ask(asker, asked ?? task.agent, texts, { ...context, model: extraction.model }).catch(
				failureOf,
			);
			const {
				state,
				cause = answer.cause,
				why = answer.why,
			} = (await memory.extractions.answer(project, task.number, answer)).extraction;
			if (state !== 'answered')
				return { ...nothing, ...answer.usage, task: task.number, state: 'failed', cause, why };
		}
		const { added, ...report } = await memory.extractions.merge(project, task.number);
		await compileEverywhere(context.env);
		const { usage } =
			(await memory.state(project)).tasks.find(each => each.number === task.number)?.extraction ?? {};
		return {
			project,
			task: task.number,
			state: 'merged',
			added,
			...report,
			dropped: [...report.dropped],
			...usage,
		};
	},
};

async function ask(
	asker: Asker,
	agent: string,
	texts: ExtractionTexts,
	{ env, workspace, dataFolder, signal, model }: ExtractContext & { model: string | undefined },
): Promise<ExtractionResult> {
	const { driver, extractor } = extractorFor(agent);
	const { agent: installed } = await findAgent(driver, { env, workspace }, seekerOf(asker));
	// Nothing of a workspace is there: no instructions, no settings, no files to mention.
	const cwd = join(dataFolder, 'extraction');
	await makeFolder(cwd);
	const folder = join(dataFolder, 'extraction-files', driver.id);
	const launch = extractor.launch({ ...texts, model, version: installed.version, folder, env });
	for (const { path, content } of launch.files ?? []) await writeFileAtomic(path, content);
	const ending = await runHeadless(
		{
			command: installed.executable,
			args: launch.args,
			cwd,
			env: agentEnvironment(driver, {
				launchEnv: launch.env,
				inherited: env,
				cwd,
				program: installed.executable,
				hasHooks: false,
				isHeadless: true,
				worker: undefined,
			}),
			stdin: launch.stdin,
			mark: crypto.randomUUID(),
		},
		extractor,
		LIMITS,
		{ onStart: process => sealStart(dataFolder, process), onEvent: () => undefined, onNoise: () => undefined },
		signal,
	);
	return resultOf(ending);
}

function resultOf(ending: Ending): ExtractionResult {
	if (ending.is === 'timeout') return { cause: 'timeout' };
	if (ending.is === 'cancelled') return { cause: 'cancelled', isCancelled: true };
	if (ending.is === 'no-result') return { cause: 'no-answer', why: ending.reason };
	const { text, failure, inputTokens, outputTokens, costUsd } = ending.result;
	const usage = {
		...(inputTokens !== undefined && { inputTokens }),
		...(outputTokens !== undefined && { outputTokens }),
		...(costUsd !== undefined && { costUsd }),
	};
	return failure ? { cause: 'failed', why: failure.reason, usage } : { text, usage };
}

/** Why nobody could be asked. */
function failureOf(error: unknown): ExtractionResult {
	const isMissing = hasCode(error, 'no-agent', 'timeout');
	return isMissing ? { cause: 'no-agent' } : { cause: 'failed', why: errorText(error) };
}
