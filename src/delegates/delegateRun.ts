import { sleepUnless } from '../base/sleepUnless.ts';
import { visible } from '../base/visible.ts';
import type { Delegate, Outcome } from '../core/delegates/delegate.ts';
import type { Delegates } from '../core/delegates/delegates.ts';
import { LogWriter } from '../core/delegates/logWriter.ts';
import { progress, type EarlierUse } from '../core/delegates/progress.ts';
import { StatusWriter } from '../core/delegates/statusWriter.ts';
import type { Driver } from '../core/driver/driver.ts';
import { eventLine } from '../core/driver/eventLine.ts';
import type { HeadlessEvent } from '../core/driver/headless.ts';
import { headlessOf } from '../core/driver/headlessOf.ts';
import type { FoundAgent } from '../core/driver/foundAgent.ts';
import { planWorker } from '../core/start/launch.ts';
import { abandonStart, noteSession, recordProcess, recordStop } from '../core/start/workerProcess.ts';
import { Questions } from '../core/questions/questions.ts';
import { sessionBinding } from '../core/sessions/bindings.ts';
import { isSameAddress, type WorkerAddress } from '../core/workspace/workspace.ts';
import { seekerForDelegate } from '../process/detect.ts';
import type { Ending, RunListener } from '../process/headlessRun.ts';
import { runSeen } from '../process/seenRun.ts';
import type { SessionId } from '../protocol/names.ts';
import { DelegateAsks } from './delegateAsks.ts';
import { DelegateBudget } from './delegateBudget.ts';
import { DelegatePlace } from './delegatePlace.ts';
import { cancelled, outcomeOf } from './outcomeOf.ts';
import { Parking } from './parking.ts';
import type { Prepared, RunnerTools } from './runnerTools.ts';

/**
 * How often one delegate waits for its account, some hours at most each time: more than a week in all. A limit that never resets is a
 * failure.
 */
const MOST_QUOTA_ROUNDS = 30;
/** Before the first retry of a transient failure, in milliseconds; doubled each time. */
const RETRY_MS = 2000;
/** The same after too many requests, which are counted per minute. */
const SLOW_DOWN_MS = 5000;
/** The prompt of an agent that continues a conversation after a failure. */
const GO_ON = 'Go on with the task where you were interrupted.';

/** One delegate's attempts, up to its outcome. */
export class DelegateRun {
	private readonly status: StatusWriter;
	/** The agent has said or done something in its current session, so the session is worth continuing. */
	private hasBegun = false;
	/** That session, as Nancy or the CLI named it. The worker's record may name another by now: agents can write it. */
	private session: SessionId | undefined;
	/** The CLI's report of the account's limit in this attempt. */
	private quota: { resetsAtMs?: number | undefined } | undefined;
	private spentMs = 0;
	private readonly log: LogWriter;
	private readonly parking: Parking;
	private readonly tools: RunnerTools;
	private readonly budget: DelegateBudget;
	private readonly place: DelegatePlace;
	/** Tokens and cost of the attempts before. */
	private earlier: EarlierUse = {};

	constructor(
		private readonly delegates: Delegates,
		private readonly delegate: Delegate,
		private readonly prompt: string,
		tools: RunnerTools,
	) {
		const spent = new AbortController();
		this.tools = { ...tools, signal: AbortSignal.any([tools.signal, spent.signal]) };
		this.status = new StatusWriter(delegate.status, status => delegate.files.writeStatus(status));
		this.log = new LogWriter(text => delegate.files.appendLog(text));
		const { workspace } = delegates;
		this.budget = new DelegateBudget(workspace, delegate.record, this.status.status, () => spent.abort());
		this.place = new DelegatePlace(workspace.folder, delegate.record, this.tools);
		this.parking = new Parking(delegates, delegate.record.agent, this.status, this.tools, text => this.say(text));
	}

	private get record() {
		return this.delegate.record;
	}

	async run(): Promise<Outcome> {
		const { agent, askedBy } = this.record;
		const found = await this.tools.findAgent(agent, seekerForDelegate(askedBy));
		this.budget.begin(found.driver);
		try {
			const outcome = await this.attempts(found);
			// The CLI may have kept to the budget itself.
			if (!outcome.ok) await this.budget.look(found.driver);
			const { why } = this.budget;
			return why === undefined || outcome.ok ? outcome : { ...outcome, reason: why };
		} finally {
			this.budget.end();
		}
	}

	private async attempts(found: FoundAgent): Promise<Outcome> {
		const { signal } = this.tools;
		this.place.require(found);
		const prepared = await this.tools.prepare(found);
		const cwd = await this.place.folder(found.driver, this.status, text => this.say(text));
		const { retries } = this.record.limits;
		let quotaRounds = 0;
		for (let failures = 0; ;) {
			if (signal.aborted) return cancelled();
			const begun = Date.now();
			const ending = await this.attempt(found, prepared, cwd);
			this.spentMs += Date.now() - begun;
			await this.status.flush();
			const failure = ending.is === 'result' ? ending.result.failure : undefined;
			const { quota } = this;
			this.quota = undefined;
			if (failure?.kind === 'too-many' && quota && quotaRounds < MOST_QUOTA_ROUNDS) {
				quotaRounds++;
				await this.parking.wait(failure.reason, quota.resetsAtMs);
				continue;
			}
			const isSpent = failure?.kind === 'too-many' && quota !== undefined;
			if (!failure || failure.kind === 'final' || isSpent || failures >= retries) return outcomeOf(ending);
			failures++;
			const pauseMs = (failure.kind === 'too-many' ? SLOW_DOWN_MS : RETRY_MS) * 2 ** (failures - 1);
			this.say(`${failure.reason}; trying again in ${pauseMs / 1000} s\n`);
			await sleepUnless(pauseMs, signal);
		}
	}

	private async attempt({ driver, agent }: FoundAgent, prepared: Prepared, cwd: string): Promise<Ending> {
		const { id, task, worker, model, permissions, limits } = this.record;
		const { workspace } = this.delegates;
		// Without a session that is known as this worker's, the conversation cannot continue, so it starts again.
		const isGoingOn = this.hasBegun && this.session !== undefined && (await this.hasSession(this.session));
		this.status.change({ status: 'running', iteration: this.status.status.iteration + 1 });
		const { input_tokens, output_tokens, cost_usd } = this.status.status;
		this.earlier = { input_tokens, output_tokens, cost_usd };
		const { notesBefore, ...places } = prepared;
		const plan = await planWorker(workspace, driver, agent, {
			task,
			worker,
			model,
			resume: isGoingOn,
			lastSession: this.session,
			headless: { permissions, maxCostUsd: await this.budget.dollarsLeft() },
			cwd,
			...places,
			prompt: isGoingOn ? GO_ON : `${await notesBefore(this.prompt)}${this.prompt}`,
			env: this.place.env,
		});
		this.session = plan.sessionIsKnown ? plan.session : undefined;
		const asks = this.asks(driver);
		let recording: Promise<void> | undefined;
		const record = (work: () => Promise<void>) => {
			recording = (recording ?? Promise.resolve()).then(work).catch(() => undefined);
		};
		try {
			return await runSeen(
				this.place.settingsToSee(driver),
				await this.place.isolated(
					{
						command: plan.command,
						args: plan.args,
						cwd: plan.cwd,
						startsIn: plan.startsIn,
						env: plan.env,
						stdin: plan.stdin,
						mark: id,
					},
					{ driver, workspace, address: plan.address, bin: prepared.bin },
				),
				{ reader: () => headlessOf(driver).reader(permissions) },
				{ wallMs: limits.wallSeconds * 1000 - this.spentMs, idleMs: limits.idleSeconds * 1000 },
				this.listener(plan.address, record, asks),
				this.tools.signal,
			);
		} finally {
			await asks?.end();
			await (recording ?? abandonStart(workspace, plan.address).catch(() => undefined));
			// The agent's answer is worth more than this note. A full disk must not lose it.
			await recordStop(workspace, plan.address).catch(() => undefined);
		}
	}

	/** Nothing for permissions that ask nobody. */
	private asks(driver: Driver): DelegateAsks | undefined {
		const { id, permissions } = this.record;
		const mode = headlessOf(driver).permissionModes.find(each => each.id === permissions);
		if (!mode?.asks) return undefined;
		const tell = (count: number) => this.status.change({ asks: count || undefined });
		return new DelegateAsks(new Questions(this.delegates.workspace.own), id, tell);
	}

	/** @param record notes something in the worker's record, after what was to be noted before */
	private listener(
		address: WorkerAddress,
		record: (work: () => Promise<void>) => void,
		asks: DelegateAsks | undefined,
	): RunListener {
		const { workspace } = this.delegates;
		return {
			onStart: (process, countAsOutput) => {
				asks?.begin(countAsOutput);
				this.status.change({ agent_process: process });
				record(() => recordProcess(workspace, address, process));
			},
			onEvent: event => {
				this.note(event);
				if (event.is === 'session') record(() => noteSession(workspace, address, event.session));
			},
			onNoise: text => this.say(text.endsWith('\n') ? text : `${text}\n`),
		};
	}

	/** A full disk may have kept the session from being noted, or only from being bound. */
	private async hasSession(session: SessionId): Promise<boolean> {
		const { workspace } = this.delegates;
		const bound = await sessionBinding(workspace, session);
		if (!bound || !isSameAddress(bound.address, this.record)) return false;
		return ((await workspace.worker(this.record))?.sessions.length ?? 0) > 0;
	}

	private note(event: HeadlessEvent): void {
		if (event.is === 'tool' || event.is === 'text') this.hasBegun = true;
		if (event.is === 'session') this.session = event.session;
		if (event.is === 'quota') this.quota = event;
		this.status.change(progress(this.status.status, event, this.earlier));
		const line = eventLine(event);
		if (line !== undefined) this.say(`${line}\n`);
	}

	/** Resolves once the log is complete and the last status may be written. */
	async settle(): Promise<void> {
		await Promise.all([this.status.close(), this.log.settle()]);
	}

	/** The log is only for people, who read it in a terminal. A disk that refuses it must not end the run. */
	private say(text: string): void {
		const shown = visible(text);
		this.tools.show(shown);
		this.log.say(shown);
	}
}
