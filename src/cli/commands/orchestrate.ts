import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { permit } from '../../core/asker/permit.ts';
import { taskNameFrom } from '../../core/workspace/taskName.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { TaskName, WorkerName } from '../../protocol/names.ts';
import { command, type Context } from '../command.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { findOrChooseWorkspace } from '../../operations/shared/place.ts';
import { budgetOf } from '../headlessOptions.ts';
import { readTextFile } from '../readText.ts';
import { printableLine } from '../words.ts';

const Input = z.object({
	task: z.string(),
	prompt: z.optional(z.string()),
	'prompt-file': z.optional(z.string()),
	agent: z.optional(z.string()),
	model: z.optional(z.string().check(z.minLength(1))),
	permissions: z.optional(z.string()),
	worker: z.optional(WorkerName),
	resume: z._default(z.boolean(), false),
	worktree: z._default(z.boolean(), false),
	'with-changes': z._default(z.boolean(), false),
	fork: z._default(z.boolean(), false),
	'no-hooks': z._default(z.boolean(), false),
	mcp: z._default(z.boolean(), false),
	title: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
	budget: z.optional(z.string()),
	extra: z.array(z.string()),
});
type Input = z.infer<typeof Input>;

export const orchestrate = command(
	{
		name: 'orchestrate',
		summary: 'run an agent in this terminal, with a mailbox and hooks',
		details: [
			'Makes the task if it is not there yet, writes the hooks and skills that the agent needs into the workspace, and runs ' +
				'the agent here until it ends. Ctrl+C and everything you type go to the agent; the exit code is the agent’s.',
			'A task that is there already gets another worker, unless --worker or --resume says otherwise.',
		],
		positionals: [
			{ name: 'task', label: '<task>', help: 'its name, or a title that becomes a name', required: true },
		],
		options: {
			prompt: { value: 'TEXT', short: 'p', help: 'first prompt; without it the agent waits for you' },
			'prompt-file': { value: 'FILE', help: 'file with the first prompt, for example a spec' },
			agent: {
				value: 'AGENT',
				help: 'which agent; without it the one that you chose for the task before, for a new task the first found',
			},
			model: { value: 'MODEL', help: 'the model, as the agent names it' },
			permissions: {
				value: 'MODE',
				help: 'what it may do unasked, as the agent names it; --resume keeps it, "settings" drops it. Without it, as its settings say',
			},
			worker: {
				value: 'WORKER',
				help: 'this worker, for example worker-2; without it the next free name',
				expects: 'use up to 32 of a-z, 0-9 and "-", starting with a letter',
			},
			resume: { help: "go on with the worker's last conversation" },
			worktree: {
				help: 'a new worker works in a git worktree of its own, made from HEAD; --resume goes on there',
			},
			'with-changes': { help: 'the worktree also gets uncommitted changes, except those inside submodules' },
			fork: { help: "a new worker begins with a copy of the worker's last conversation, which stays as it is" },
			title: { value: 'TITLE', help: 'title of a new task' },
			budget: {
				value: 'BUDGET',
				help: 'tokens for the whole task, such as 200k; its agents are paused when they are used up',
			},
			'no-hooks': { help: 'writes nothing for the agent, which then reports nothing and gets no messages' },
			mcp: {
				help: 'the agent gets the tools of nancy mcp, if its CLI takes a server at a start; it asks you before it calls one',
			},
		},
		extra: 'arguments for the agent, passed on unchanged',
		examples: [
			['nancy orchestrate fix-login --prompt "Fix the login."', 'a new task'],
			['nancy orchestrate fix-login --resume', 'goes on where it ended'],
			[
				'nancy orchestrate "Write the manual" --prompt-file specs/manual.md',
				'the task is called write-the-manual',
			],
		],
	},
	Input,
	async (input, context) => {
		if (!context.stdin.isTTY && input.extra.length === 0) {
			throw new NancyError(
				'bad-usage',
				'stdin is not a terminal, and the agent needs one; run this in a terminal, or pass arguments after -- that make the agent work without',
			);
		}
		if (input.prompt !== undefined && input['prompt-file'] !== undefined)
			throw new NancyError('bad-usage', '--prompt and --prompt-file exclude each other');
		const { runWorker } = await import('../runWorker.ts');
		const workspace = findOrChooseWorkspace(context);
		const own = programContext(workspace, context);
		const plan = await perform(
			await operations.orchestrate(),
			context.asker,
			{
				task: nameOf(input.task),
				title: input.title ?? input.task,
				isNew: false,
				agent: input.agent,
				worker: input.worker,
				resume: input.resume,
				place: placeOf(input),
				fork: input.fork,
				prompt: await promptOf(input, context),
				model: input.model,
				permissions: input.permissions,
				extra: input.extra,
				hooks: !input['no-hooks'],
				mcp: input.mcp,
				budget: budgetOf(input.budget),
			},
			own,
		);
		for (const warning of plan.warnings) context.note(warning);
		if (!plan.hasHooks) context.note('started without hooks: it reports nothing, and messages for it stay queued');
		const { address, cwd } = plan;
		context.note(`${address.task}/${address.worker} works in ${printableLine(cwd, 1000)}`);
		return runWorker(workspace, plan);
	},
);

/** @throws NancyError `not-trusted` for an agent that names a file: it may be denied to read it itself */
async function promptOf({ prompt, 'prompt-file': file }: Input, context: Context): Promise<string | undefined> {
	if (file === undefined) return prompt;
	permit(context.asker, { is: 'prompt-file', file });
	return (await readTextFile(resolve(context.cwd, file))).trimEnd();
}

function placeOf({ worktree, 'with-changes': withChanges }: Input): 'worktree' | 'worktreeWithChanges' | undefined {
	if (withChanges) return 'worktreeWithChanges';
	return worktree ? 'worktree' : undefined;
}

function nameOf(typed: string): TaskName {
	const name = TaskName.safeParse(typed);
	const made = name.success ? name.data : taskNameFrom(typed);
	if (made) return made;
	throw new NancyError('bad-name', `no task name can be made from "${typed}"; use letters and digits`);
}
