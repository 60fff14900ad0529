import { constants } from 'node:os';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { identify } from '../../base/liveness.ts';
import { permit } from '../../core/asker/permit.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { planWorker, recordProcess, recordStop, refuseLongPrompt } from '../../core/driver/launch.ts';
import { refuseResume, workerToResume } from '../../core/driver/resuming.ts';
import { taskNameFrom } from '../../core/workspace/taskName.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { ORCHESTRATOR, TaskName, WorkerName } from '../../protocol/names.ts';
import type { TaskRecord } from '../../protocol/records.ts';
import { command } from '../command.ts';
import { findOrChooseWorkspace } from '../place.ts';
import { operationContext } from '../operationContext.ts';
import { readTextFile } from '../readText.ts';
import { printableLine } from '../words.ts';

const Input = z.object({
	task: z.string(),
	prompt: z.optional(z.string()),
	'prompt-file': z.optional(z.string()),
	agent: z.optional(z.string()),
	model: z.optional(z.string().check(z.minLength(1))),
	worker: z.optional(WorkerName),
	resume: z._default(z.boolean(), false),
	'no-hooks': z._default(z.boolean(), false),
	title: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
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
				help: "which agent; without it the task's, the workspace's default, or the first found",
			},
			model: { value: 'MODEL', help: 'the model, as the agent names it' },
			worker: {
				value: 'WORKER',
				help: 'this worker, for example worker-2; without it the next free name',
				expects: 'use up to 32 of a-z, 0-9 and "-", starting with a letter',
			},
			resume: { help: "go on with the worker's last conversation" },
			title: { value: 'TITLE', help: 'title of a new task' },
			'no-hooks': { help: 'writes nothing for the agent, which then reports nothing and gets no messages' },
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
		if (input.worker === ORCHESTRATOR)
			throw new NancyError('bad-name', 'the human is no worker; choose another name');
		const [{ runInForeground }, { refuseTracked }, agents, starting, { deployAgent }, { noteSeen }] =
			await Promise.all([
				import('../../process/foreground.ts'),
				import('../../git/refuseTracked.ts'),
				import('../../operations/agents.ts'),
				import('../../operations/starting.ts'),
				import('../../operations/deployEach.ts'),
				import('../../operations/noteSeen.ts'),
			]);
		const workspace = findOrChooseWorkspace(context);
		await refuseTracked(workspace);
		const name = nameOf(input.task);
		const known = input.resume ? await workspace.task(name) : await existingTask(workspace, name);
		const earlier = input.resume ? await workerToResume(workspace, name, input.worker) : undefined;
		const found = await agents.chooseAgent(
			workspace,
			context.asker,
			context.env,
			input.agent ?? earlier?.agent ?? known?.agent,
		);
		const { driver, agent } = found;
		// Before anything is written for it.
		if (earlier) refuseResume(driver, agent.version, earlier);
		if (input['prompt-file'] !== undefined)
			permit(context.asker, { is: 'prompt-file', file: input['prompt-file'] });
		const where = operationContext(workspace, context);
		const settings = await where.readSettings(workspace.folder);
		const asking = { asker: context.asker, context: where, settings };
		const promptFile = input['prompt-file'] === undefined ? undefined : resolve(context.cwd, input['prompt-file']);
		await starting.permitStart(driver, [workspace.folder], asking);
		await noteSeen(context.asker, driver, where, workspace.folder);
		starting.refuseExtraFromAgent(driver, input.extra, asking);
		const prompt = await promptOf(input.prompt, promptFile);
		const runtime = await where.installRuntime();
		const hasHooks = !input['no-hooks'] && (await workspace.config()).hooks !== 'off';
		const { warnings } = hasHooks
			? await deployAgent(where, runtime, found, 'launch')
			: { warnings: ['started without hooks: it reports nothing, and messages for it stay queued'] };
		for (const warning of warnings) context.note(warning);
		if (known?.archivedAt !== undefined) {
			await workspace.updateTask(known.name, ({ archivedAt: _back, ...record }) => record);
		}
		const task = known ?? (await createTask(workspace, name, driver, input, prompt ?? ''));
		const plan = await planWorker(workspace, driver, agent, {
			task: task.name,
			worker: input.worker,
			prompt: prompt ?? (await firstPrompt(workspace, task, input)),
			model: input.model,
			resume: input.resume,
			extra: input.extra,
			bin: runtime.bin,
			hooks: hasHooks ? runtime : undefined,
			env: context.env,
		});
		context.note(`${plan.address.task}/${plan.address.worker} works in ${printableLine(plan.cwd, 1000)}`);
		const code = await runInForeground(plan, pid => recordProcess(workspace, plan.address, identify(pid)));
		if (ENDED_ON_PURPOSE.has(code)) await recordStop(workspace, plan.address);
		return code;
	},
);

/**
 * By itself, or asked to by the signals of a person, a closed terminal or another program. With any other code it failed and was not
 * stopped; `nancy stop` notes its own stops.
 */
const ENDED_ON_PURPOSE: ReadonlySet<number> = new Set([
	0,
	...(['SIGHUP', 'SIGINT', 'SIGTERM'] as const).map(name => 128 + constants.signals[name]),
]);

async function promptOf(typed: string | undefined, file: string | undefined): Promise<string | undefined> {
	const prompt = file === undefined ? typed : (await readTextFile(file)).trimEnd();
	refuseLongPrompt(prompt);
	return prompt;
}

/** An unreadable record is no reason to make the task anew. */
async function existingTask(workspace: Workspace, name: TaskName): Promise<TaskRecord | undefined> {
	try {
		return await workspace.task(name);
	} catch (error) {
		if (error instanceof NancyError && error.code === 'no-task') return undefined;
		throw error;
	}
}

function nameOf(typed: string): TaskName {
	const name = TaskName.safeParse(typed);
	const made = name.success ? name.data : taskNameFrom(typed);
	if (made) return made;
	throw new NancyError('bad-name', `no task name can be made from "${typed}"; use letters and digits`);
}

async function createTask(
	workspace: Workspace,
	name: TaskName,
	driver: Driver,
	input: Input,
	prompt: string,
): Promise<TaskRecord> {
	const record: TaskRecord = {
		version: 1,
		name,
		title: input.title ?? input.task,
		prompt,
		agent: driver.id,
		createdAt: new Date().toISOString(),
		origin: 'nancy',
	};
	// Somebody else may have just made the task. Then it gets another worker, as an earlier task does.
	await workspace.createTask(record).catch((error: unknown) => {
		if (!(error instanceof NancyError) || error.code !== 'task-exists') throw error;
	});
	return workspace.task(name);
}

/** A task that was made without an agent gives its prompt to its first worker. A second worker has work of its own. */
async function firstPrompt(workspace: Workspace, task: TaskRecord, { resume }: Input): Promise<string | undefined> {
	if (resume || task.prompt === '') return undefined;
	const { workers } = await workspace.workers(task.name);
	return workers.some(record => record.sessions.length > 0) ? undefined : task.prompt;
}
