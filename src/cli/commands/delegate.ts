import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { permit } from '../../core/asker/permit.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { DelegateCreatedOutput } from '../../protocol/output/delegates.ts';
import { resolveMailbox } from '../../operations/shared/addresses.ts';
import { answer, command } from '../command.ts';
import { budgetOf, featureOf, isolationOf, limitsOf, workingFolder } from '../headlessOptions.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { findOrChooseWorkspace } from '../../operations/shared/place.ts';
import { readText, readTextFile } from '../readText.ts';

const Input = z.object({
	text: z._default(z.array(z.string()), []),
	'prompt-file': z.optional(z.string()),
	title: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
	to: z.optional(z.string()),
	agent: z.optional(z.string()),
	model: z.optional(z.string().check(z.minLength(1))),
	permissions: z.optional(z.string()),
	'working-dir': z.optional(z.string()),
	worktree: z._default(z.boolean(), false),
	'with-changes': z._default(z.boolean(), false),
	on: z.optional(z.string()),
	timeout: z.optional(z.string()),
	'idle-timeout': z.optional(z.string()),
	budget: z.optional(z.string()),
	isolate: z.optional(z.string()),
});

export const delegate = command(
	{
		name: 'delegate',
		summary: 'hand part of the work to another agent that runs in parallel; prints its id',
		details: [
			'Returns at once. The agent runs headless beside everything else, also when this terminal closes; more than a few wait ' +
				'for their turn. Its result arrives as a message: in a terminal that Nancy started for that worker, elsewhere for the ' +
				'human, or for whomever --to names. nancy delegates shows how it goes.',
		],
		positionals: [
			{
				name: 'text',
				label: 'TEXT|-',
				help: 'the prompt, or - to read it from stdin',
				required: false,
				many: true,
			},
		],
		options: {
			'prompt-file': { value: 'FILE', help: 'file with the prompt' },
			title: { value: 'TITLE', help: 'its title in lists; default: its first line' },
			to: { value: '<task>[/<worker>]', help: 'who gets the result; <task>/orchestrator is the human' },
			agent: { value: 'AGENT', help: 'the agent; default: the workspace’s, or the first found' },
			model: { value: 'MODEL', help: 'the model, as the agent names it' },
			permissions: {
				value: 'MODE',
				help: 'the permission mode, as the agent names it; in one that asks, nancy questions shows the questions',
			},
			'working-dir': {
				value: 'FOLDER',
				help: 'folder to work in; default: the workspace folder, or the same folder of the worktree of Nancy’s that you are in',
			},
			worktree: {
				help: 'works in its own git worktree, made from HEAD; the folders of submodules are empty there',
			},
			'with-changes': { help: 'the worktree also gets uncommitted changes, except those inside submodules' },
			on: {
				value: 'MACHINE',
				help: 'runs on another machine: ssh:<host>, or a name of your settings, or several with commas; needs --worktree',
			},
			isolate: {
				value: 'none|bwrap|bwrap-offline',
				help: 'the sandbox that it runs in, with the network or without; default: as set',
			},
			timeout: { value: 'SECONDS', help: 'longest time; default 1800' },
			'idle-timeout': { value: 'SECONDS', help: 'longest time without any output; default 600' },
			budget: {
				value: 'BUDGET',
				help: "tokens or dollars, such as 200k or '$2'; it is stopped when they are used up",
			},
		},
		examples: [
			['nancy delegate "Write tests for the parser." --worktree', 'in a worktree of its own'],
			['nancy delegate --prompt-file review.md --permissions plan', 'reads, changes nothing'],
		],
	},
	Input,
	async (input, context) => {
		const file = input['prompt-file'];
		if ((input.text.length === 0) === (file === undefined)) {
			throw new NancyError('bad-usage', 'give what is to be done as text, or as --prompt-file');
		}
		if (file !== undefined) permit(context.asker, { is: 'prompt-file', file });
		const workspace = findOrChooseWorkspace(context);
		const named = input['working-dir'];
		const folder = named === undefined ? undefined : workingFolder(named, context);
		const created = await perform(
			await operations.delegate(),
			context.asker,
			{
				prompt:
					file === undefined
						? await readText(input.text, context.stdin)
						: await readTextFile(resolve(context.cwd, file)),
				title: input.title,
				agent: input.agent,
				model: input.model,
				permissions: input.permissions,
				folder,
				from: context.cwd,
				worktree: input.worktree || input['with-changes'] ? { withChanges: input['with-changes'] } : undefined,
				limits: limitsOf(input),
				budget: budgetOf(input.budget),
				parent: input.to === undefined ? undefined : await resolveMailbox(workspace, context.asker, input.to),
				feature: featureOf(file),
				on: input.on?.split(',').map(each => each.trim()),
				isolate: isolationOf(input.isolate),
			},
			programContext(workspace, context),
		);
		return answer(DelegateCreatedOutput, created, created.id);
	},
);
