import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify } from '../../src/base/liveness.ts';
import { parseVersion, type Version } from '../../src/base/version.ts';
import { deploy } from '../../src/core/deployment/deploy.ts';
import { BETWEEN_KEYS_MS, type Driver } from '../../src/core/driver/driver.ts';
import type { DeploymentScope } from '../../src/core/driver/deploymentPlan.ts';
import type { HeadlessEvent } from '../../src/core/driver/headless.ts';
import { headlessOf } from '../../src/core/driver/headlessOf.ts';
import { planWorker, type WorkerPlan } from '../../src/core/start/launch.ts';
import { recordProcess } from '../../src/core/start/workerProcess.ts';
import { readOverview } from '../../src/core/live/readOverview.ts';
import type { Ask } from '../../src/core/live/prober.ts';
import type { WorkerView } from '../../src/core/live/overview.ts';
import type { Runtime } from '../../src/core/deployment/runtime.ts';
import { Workspace, type WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { allDrivers } from '../../src/drivers/index.ts';
import { askStatus } from '../../src/process/askStatus.ts';
import { runHeadless, type Ending } from '../../src/process/headlessRun.ts';
import { FIRST_WORKER, TaskName, type SessionId, type WorkerName } from '../../src/protocol/names.ts';
import type { RecordedRequest } from '../double/modelDouble.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { agentLab, READY_MS, type AgentLab } from '../support/agentLab.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { eventually, HANG_MS, TEST_HANGS_MS } from '../support/eventually.ts';
import { labMail, type LabMail } from '../support/labMail.ts';
import type { LocalAgent } from '../support/pinnedAgent.ts';
import { dataFolderIn, installedRuntime } from '../support/runtime.ts';
import { submit } from '../support/submit.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { terminal, type Terminal } from '../support/terminal.ts';

/** One column of the matrix: a CLI at a version, and the driver that speaks for it. */
export interface Candidate {
	agent: AgentUnderTest;
	driver: Driver;
	installed: LocalAgent;
}

/** An agent in a terminal, started as Nancy starts one. */
export interface StartedWorker {
	address: WorkerAddress;
	terminal: Terminal;
	/** Its session, once an event or its launch has told. */
	session(): Promise<SessionId>;
	/** Types a prompt and sends it. */
	submit(prompt: string): Promise<void>;
	/** Breaks off its turn by the keys of its driver. */
	interrupt(): Promise<void>;
	/** Waits until Nancy knows it as idle, and whatever shall wake it listens. */
	idle(): Promise<void>;
}

export interface HeadlessRun {
	address: WorkerAddress;
	ended: Promise<{ ending: Ending; events: readonly HeadlessEvent[] }>;
}

export interface StartOptions {
	prompt?: string;
	/** It asks before it runs a command. Default: it runs all. */
	asks?: boolean;
	resume?: boolean;
	/** It gets Nancy's MCP server. */
	mcp?: boolean;
	/** It begins with a copy of the conversation of this worker. */
	fork?: WorkerName;
	/** The user wants none. */
	hooks?: 'off';
	/** The window seals the process when this is over, as late as on a busy machine. Default: at once. */
	sealedAfter?: () => Promise<unknown>;
}

/**
 * A real agent CLI and all of Nancy that it meets: deployment, launch, guard, hook program, mailbox, spool and collector. What is in
 * a cell of the matrix was seen here, by the model double or by what the views are made of.
 */
export interface ConformanceLab extends AgentLab, LabMail {
	candidate: AgentUnderTest;
	driver: Driver;
	version: Version;
	nancy: Workspace;
	runtime: Runtime;
	deploy(scope: DeploymentScope): ReturnType<typeof deploy>;
	start(options?: StartOptions): Promise<StartedWorker>;
	/** A worker that has had its first turn, and waits for the next. */
	startIdle(): Promise<StartedWorker>;
	/** A run without a terminal, with the driver's freest permission mode unless another is named; in the workspace unless `cwd` is. */
	runHeadless(
		prompt: string,
		options?: { permissions?: string; resume?: boolean; cwd?: string },
	): Promise<HeadlessRun>;
	/** What the sidebar shows of a worker. */
	view(address: WorkerAddress): Promise<WorkerView | undefined>;
	/** The view once it satisfies `is`. */
	becomes(address: WorkerAddress, what: string, is: (view: WorkerView) => boolean, timeoutMs?: number): Promise<void>;
	/** Requests of the agent's own conversation (and its subagents'), not for titles and summaries. */
	requests(): readonly RecordedRequest[];
	/** The first request that holds the text, past or future. */
	seen(text: string, timeoutMs?: number): Promise<RecordedRequest>;
	/** A step that makes the file `begun` and lasts until {@link letGo}, however slow test and agent are. */
	held: string;
	letGo(): void;
	/** Waits until a tool has made this file in the workspace. */
	made(file: string): Promise<void>;
	has(file: string): boolean;
	/** What stands in every terminal that Nancy started. */
	screens(): string[];
}

/** Longest wait for what comes at once on a machine that is not busy with other things, in milliseconds. */
const PATIENCE_MS = HANG_MS;

/** How often the CLI itself is asked for its status, in milliseconds. */
const ASK_MS = 3000;

/** The first task of every lab. */
export const TASK = TaskName.parse('build');
export const WORKER: WorkerAddress = { task: TASK, worker: FIRST_WORKER };

export interface LabOptions {
	/** Deployed before the cell begins; `none`: the cell does it. Default `launch`. */
	scope?: DeploymentScope | 'none';
	/** The user's settings make the CLI ask before it runs a command. */
	asks?: boolean;
	/** The user's settings let Nancy wake the CLI, where that is their choice. */
	wakes?: boolean;
	/** The user lets Nancy answer what the CLI asks in a terminal, where that is their choice. */
	answers?: boolean;
	/** The user wants the terminals of agents watched. */
	watched?: boolean;
	/** The user wants Nancy to talk with the CLI. */
	talked?: boolean;
	/** Of each terminal. */
	size?: { columns: number; rows: number };
	/** The user may install Nancy's plugin, where that is their choice. */
	plugins?: boolean;
}

export async function conformanceLab(
	candidate: Candidate,
	{
		scope = 'launch',
		asks = false,
		wakes = false,
		watched = false,
		talked = false,
		size,
		plugins = false,
		...options
	}: LabOptions = {},
): Promise<ConformanceLab> {
	const { agent, driver, installed } = candidate;
	const version = versionOf(candidate);
	const answers = options.answers === true || (wakes && agent.wakesWithAnswers === true);
	const answering = answers && agent.answering !== 'none' ? agent.answering : undefined;
	const lab = await agentLab(options => agent.home({ ...options, installed }), {
		env: { ...agent.env },
		settings: {
			...(asks && agent.asking),
			...(wakes && agent.waking),
			...(answering && answering.settings),
			...(plugins && agent.plugin !== 'none' && agent.plugin.settings),
		},
	});
	const runtime = await installedRuntime(lab.home);
	const nancy = new Workspace(lab.workspace.path, dataFolderIn(lab.home));
	await nancy.prepare();
	await nancy.createTask(taskRecord(TASK, driver.id));
	const opened: Terminal[] = [];
	const running = new AbortController();
	const runs: Promise<unknown>[] = [];
	const program = { executable: lab.agent.command, version };
	const shared = { task: TASK, bin: runtime.bin, hooks: runtime, env: lab.env };

	const requests = () => lab.model.requests.filter(request => request.hasTools);
	let askedAt = 0;
	const ask: Ask = async asked => {
		// As seldom as a window asks: each question is a start of the CLI.
		if (Date.now() - askedAt < ASK_MS) throw new Error('it was asked a moment ago');
		askedAt = Date.now();
		return askStatus(asked, lab.agent.command, lab.env);
	};
	const view = async ({ task, worker }: WorkerAddress) => {
		const { tasks } = await readOverview(nancy, allDrivers, { ask });
		const found = tasks.find(each => each.record.name === task);
		return found?.workers.find(each => each.record.name === worker);
	};
	const becomes: ConformanceLab['becomes'] = async (address, what, is, timeoutMs = PATIENCE_MS) => {
		let last: WorkerView | undefined;
		await eventually(
			what,
			async () => {
				last = await view(address);
				return last && is(last);
			},
			{ timeoutMs, everyMs: 150 },
		).catch((cause: unknown) => {
			// What its hooks have told shows whose fault it is.
			const told = [nancy.paths.spool, nancy.paths.traffic].flatMap(folder =>
				readdirSync(folder).map(name =>
					[name, readFileSync(join(folder, name), 'utf8').slice(-1500)].join(': '),
				),
			);
			const seen = `it was ${JSON.stringify(last?.state)}`;
			throw new Error([`${String(cause)}; ${seen}`, ...told, ...result.screens()].join('\n'), { cause });
		});
	};

	const started = (plan: WorkerPlan, screen: Terminal): StartedWorker => ({
		address: plan.address,
		terminal: screen,
		session: () =>
			eventually('its session is known', async () => (await nancy.worker(plan.address))?.sessions.at(-1)?.id, {
				timeoutMs: PATIENCE_MS,
			}),
		submit: prompt => {
			const before = lab.model.requests.length;
			return submit(screen, prompt, () => lab.model.requests.length > before);
		},
		interrupt: async () => {
			if (driver.interrupt === 'none') throw new Error(`no key interrupts ${driver.displayName}`);
			for (const key of driver.interrupt.keys) {
				screen.type(key);
				await sleep(BETWEEN_KEYS_MS);
			}
		},
		idle: async () => {
			await becomes(plan.address, 'the worker is idle', ({ state }) => state.phase === 'idle');
			// A watcher of the CLI begins after the hook that asked for it has answered.
			await new Promise(resolve => setTimeout(resolve, 500));
		},
	});

	const result: ConformanceLab = {
		...lab,
		candidate: answers ? { ...agent, ...agent.withAnswers } : agent,
		driver,
		version,
		nancy,
		runtime,
		deploy: chosen => deploy(nancy, driver, { runtime, agentVersion: version, scope: chosen }),
		start: async ({ prompt, asks: isAsking = false, resume = false, mcp, fork, hooks, sealedAfter } = {}) => {
			const extra = isAsking ? [] : lab.agent.unattended;
			const plan = await planWorker(nancy, driver, program, {
				...shared,
				prompt,
				resume,
				mcp,
				fork,
				...(hooks === 'off' && { hooks: undefined }),
				extra,
				takesAnswers: answers,
				isWatched: watched,
				isTalkedWith: talked,
			});
			const env = changed(lab.env, plan.env);
			const screen = terminal(plan.command, plan.args, { cwd: plan.cwd, env, ...size });
			opened.push(screen);
			await sealedAfter?.();
			await recordProcess(nancy, plan.address, identify(screen.pid));
			if (answering) await answerQuestion(screen, answering.question, answering.keys, READY_MS);
			// At work on a prompt it may show no invitation until what holds its tool has been let go.
			const ready = (answers && agent.withAnswers?.ready) || (talked ? /^> ?$/m : lab.agent.ready);
			if (prompt === undefined || resume || fork) await screen.waitForText(ready, READY_MS);
			else await lab.model.waitForRequest(({ hasTools }) => hasTools, READY_MS);
			return started(plan, screen);
		},
		startIdle: async () => {
			const worker = await result.start({ prompt: '[[text:First turn]]' });
			await worker.idle();
			return worker;
		},
		runHeadless: async (prompt, { permissions = freest(driver), resume = false, cwd } = {}) => {
			const request = { ...shared, prompt, resume, cwd, headless: { permissions } };
			const plan = await planWorker(nancy, driver, program, request);
			const events: HeadlessEvent[] = [];
			const ending = runHeadless(
				{ ...plan, env: { ...lab.env, ...plan.env }, mark: randomUUID() },
				headlessOf(driver),
				{ wallMs: TEST_HANGS_MS, idleMs: TEST_HANGS_MS },
				{
					onStart: process => void recordProcess(nancy, plan.address, process),
					onEvent: event => events.push(event),
					onNoise: () => undefined,
				},
				running.signal,
			);
			runs.push(ending);
			return { address: plan.address, ended: ending.then(each => ({ ending: each, events })) };
		},
		...labMail(nancy, PATIENCE_MS),
		view,
		becomes,
		requests,
		seen: (text, timeoutMs = PATIENCE_MS) =>
			lab.model
				.waitForRequest(request => request.hasTools && request.text.includes(text), timeoutMs)
				.catch((cause: unknown) => {
					throw new Error([String(cause), ...result.screens()].join('\nScreen:\n'), { cause });
				}),
		// Within the workspace: some ask before a program from elsewhere runs.
		held: '[[sh:touch begun; until [ -e go ]; do sleep 0.1; done]]',
		letGo: () => writeFileSync(lab.workspace.file('go'), ''),
		made: async file => {
			await eventually(`a tool makes ${file}`, () => existsSync(lab.workspace.file(file)), {
				timeoutMs: PATIENCE_MS,
			});
		},
		has: file => existsSync(lab.workspace.file(file)),
		screens: () => opened.map(each => each.screen()),
		[Symbol.asyncDispose]: async () => {
			running.abort();
			await Promise.all([...opened.map(each => each.close()), ...runs]);
			await lab[Symbol.asyncDispose]();
		},
	};
	if (scope !== 'none') await result.deploy(scope);
	return result;
}

export function versionOf({ installed }: Candidate): Version {
	const version = parseVersion(installed.version);
	if (!version) throw new Error(`${installed.version} is no version`);
	return version;
}

function freest(driver: Driver): string {
	return headlessOf(driver).permissionModes.at(-1)?.id ?? '';
}

function changed(
	env: Readonly<Record<string, string>>,
	changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
	const result = { ...env };
	for (const [name, value] of Object.entries(changes)) {
		if (value === null) delete result[name];
		else result[name] = value;
	}
	return result;
}
