import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { errorText, NancyError } from '../../base/errors.ts';
import { permit } from '../../core/asker/permit.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { queueDelegate } from '../../core/delegates/queueDelegate.ts';
import { requirePlace } from '../../core/delegates/requirePlace.ts';
import { swarmOf } from '../../core/delegates/swarm.ts';
import { headlessOf } from '../../core/driver/launch.ts';
import { DelegateCreatedOutput } from '../../protocol/output/delegates.ts';
import { resolveMailbox } from '../addresses.ts';
import { answer, command } from '../command.ts';
import {
	featureOf,
	limitsOf,
	mayRunCommands,
	permissionMode,
	permitStart,
	settingsFor,
	workingFolder,
} from '../headlessOptions.ts';
import { findOrChooseWorkspace, mailboxName, ownAddress } from '../place.ts';
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
	timeout: z.optional(z.string()),
	'idle-timeout': z.optional(z.string()),
});

const WITHOUT_COMMANDS =
	'the worktree is made without the user’s set-up and tear-down commands: an agent asked, and they would run over files that ' +
	'agents have changed. Say in the prompt what has to be installed';

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
				help: 'what is to be done, or - to read it from stdin',
				required: false,
				many: true,
			},
		],
		options: {
			'prompt-file': { value: 'FILE', help: 'file with what is to be done' },
			title: { value: 'TITLE', help: 'what it is called in lists; else its first line' },
			to: { value: '<task>[/<worker>]', help: 'who gets the result; <task>/orchestrator is the human' },
			agent: { value: 'AGENT', help: 'which agent; without it the workspace’s default, or the first found' },
			model: { value: 'MODEL', help: 'the model, as the agent names it' },
			permissions: { value: 'MODE', help: 'what it may do unasked, as the agent names it' },
			'working-dir': {
				value: 'FOLDER',
				help: 'folder to work in; the workspace where absent, or what it is in the worktree of Nancy’s that you are in',
			},
			worktree: {
				help: 'works in a git worktree of its own, from HEAD; the folders of submodules are empty there',
			},
			'with-changes': { help: 'the worktree has what is not committed, too, but for what is inside submodules' },
			timeout: { value: 'SECONDS', help: 'longest time; default 1800' },
			'idle-timeout': { value: 'SECONDS', help: 'longest time without any output; default 600' },
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
		const [
			agents,
			{ lookAtQueue },
			{ refuseTracked },
			{ requireRepository },
			{ folderSeenFrom },
			{ queueOptions },
		] = await Promise.all([
			import('../agents.ts'),
			import('../../delegates/delegateQueue.ts'),
			import('../../git/refuseTracked.ts'),
			import('../../git/repository.ts'),
			import('../../git/homeCheckout.ts'),
			import('../queue.ts'),
		]);
		if (file !== undefined) permit(context.asker, { is: 'prompt-file', file });
		const workspace = findOrChooseWorkspace(context);
		await refuseTracked(workspace);
		const { driver } = await agents.chooseAgent(workspace, context, input.agent);
		const delegates = new Delegates(workspace);
		const settings = await settingsFor(workspace.folder, context);
		const asking = { context, settings };
		const promptFile = file && resolve(context.cwd, file);
		const named = input['working-dir'];
		// An agent may itself be a delegate in a worktree: who works for it works there, or from there, if it can.
		const seen =
			named === undefined && headlessOf(driver).runsIn === 'anywhere'
				? await folderSeenFrom(context.cwd, workspace.folder)
				: workspace.folder;
		const folder = named === undefined ? seen : workingFolder(named, context);
		await permitStart(driver, [workspace.folder, folder], asking);
		const isInWorktree = input.worktree || input['with-changes'];
		requirePlace(driver, { folder, isInWorktree }, workspace.folder);
		if (isInWorktree) await requireRepository(folder);
		const prompt =
			promptFile === undefined ? await readText(input.text, context.stdin) : await readTextFile(promptFile);
		const options = queueOptions(context, workspace, await agents.ownRuntime(context), settings);
		const commands = isInWorktree && {
			setUp: settings.worktreeSetUp || undefined,
			tearDown: settings.worktreeTearDown || undefined,
		};
		if (commands && (commands.setUp ?? commands.tearDown) !== undefined && !mayRunCommands(driver, asking))
			context.note(WITHOUT_COMMANDS);
		const parent =
			input.to === undefined
				? ownAddress(context.asker)
				: await resolveMailbox(workspace, context.asker, input.to);
		const swarm = swarmOf({ feature: featureOf(file) }, context.env, settings);
		// The one before may have lost its runner, and is not this worker any more. What else is wrong, the look below tells.
		if (swarm) await lookAtQueue(delegates, options).catch(() => undefined);
		const { record } = await queueDelegate(delegates, options.tickets, context.asker, {
			prompt,
			title: input.title,
			agent: driver.id,
			model: input.model,
			permissions: permissionMode(driver, input.permissions, asking),
			folder,
			worktree: isInWorktree ? { withChanges: input['with-changes'] } : undefined,
			limits: limitsOf(input, settings),
			...(mayRunCommands(driver, asking) && commands),
			swarm,
			parent,
		});
		// It is queued: who tried again because of this would queue it twice.
		await lookAtQueue(delegates, options).catch((error: unknown) =>
			context.note(`it is queued, and starts later: ${errorText(error)}`),
		);
		const { state } = await delegates.get(record.id);
		const worker = mailboxName(record);
		return answer(DelegateCreatedOutput, { id: record.id, worker, status: state }, record.id);
	},
);
