import { join } from 'node:path';
import { createFileAtomicSync } from '../base/atomicFile.ts';
import { errorText } from '../base/errors.ts';
import { liveness } from '../base/liveness.ts';
import { askingDelegate } from '../core/delegates/askingDelegate.ts';
import { ASKS_PERMISSION } from '../core/driver/acp.ts';
import { ENDINGS, type Asking } from '../core/driver/asking.ts';
import type { HookCall } from '../core/driver/hooks.ts';
import { inHeldFolderSync } from '../core/files/heldFolder.ts';
import type { NancyPaths } from '../core/files/paths.ts';
import { hold } from '../core/questions/hold.ts';
import { newQuestion } from '../core/questions/newQuestion.ts';
import { Questions } from '../core/questions/questions.ts';
import { outcomeIn } from '../core/questions/settle.ts';
import { TrafficFollower } from '../core/traffic/store.ts';
import { askings } from '../drivers/asking.ts';
import { speakerOf } from '../protocol/agentServer.ts';
import type { SessionId } from '../protocol/names.ts';
import type { Answer } from '../protocol/question.ts';
import type { TrafficRecord } from '../protocol/traffic.ts';
import { readCall, type Call } from './call.ts';
import { collectLater } from './collectLater.ts';
import { note, spool } from './notes.ts';
import { print, readInput } from './pipes.ts';
import { reachOf } from './reach.ts';
import { surroundingsOf } from './surroundings.ts';
import { boundSpool } from '../core/traffic/spoolBound.ts';

/** How long events may wait before this program has them collected. In milliseconds: a window collects at once. */
const UNCOLLECTED_MS = 5000;

/** A signal that comes this close to the end of the CLI's time, in milliseconds, says no more than that this time is over. */
const CLOSE_MS = 60_000;

/** How much of the session's earlier events is read, in bytes: the start of the call is among the newest. */
const TAIL_BYTES = 64 * 1024;

/**
 * Holds one question: reports the event if nobody else does, asks, and waits for a person's answer. Prints nothing without an answer to exactly this request.
 * Then the CLI's own prompt decides.
 */
async function run(call: Call, asking: Asking): Promise<void> {
	const text = await readInput();
	// The CLI itself reports what it asks of a conversation of Nancy's.
	if (!asking.isReportedApart && call.event !== ASKS_PERMISSION) spool(call, text);
	const hookCall = { event: call.event, payload: JSON.parse(text), env: call.env };
	const request = asking.read(hookCall);
	if (request === 'none') return;
	const { own, paths, folder } = call.workspace;
	// The seals decide before `isAttended` does: a project's settings set that variable.
	const delegate = await askingDelegate(call.workspace, call.driver, request.session);
	if (delegate === 'asks-nobody') return;
	// Any other run without a terminal would wait for an answer to the end of its time.
	if (!call.isAttended && delegate === undefined) return;
	// The user would see nothing in the terminal, for as long as nobody answers at the desk.
	const isHidden = asking.hidesSubagents && call.event !== ASKS_PERMISSION && request.subagent !== undefined;
	if (isHidden && delegate === undefined) return;
	const questions = new Questions(own);
	const place = { workspaceFolder: folder, desk: questions.folder, agent: call.agent };
	const reach = await reachOf(asking, hookCall, place);
	if (reach !== undefined) {
		// Each question would say the same.
		if (isFirst(paths, request.session)) throw new Error(outOfReach(questions.folder, reach));
		return;
	}
	await questions.prepare();
	// Without them, because a record is damaged, every place counts as outside.
	const around = await surroundingsOf({ ...call, session: request.session, delegate }).catch(() => undefined);
	const question = newQuestion(call.driver.id, request, { ...(around && { around }), delegate, agent: call.agent });
	const alone = delegate === undefined ? 'silent' : 'ended';
	// Before the question is there: a person could answer at once.
	for (const [signal, state] of Object.entries(ENDINGS))
		process.once(signal, () => {
			const outcome = delegate === undefined && !isOvertime(call) ? state : alone;
			void questions
				.end(question.id, outcome, `the agent ended the wait (${signal})`)
				.catch(() => undefined)
				.finally(() => process.exit(0));
		});
	await questions.ask(question);
	const traffic = new TrafficFollower(paths, question.session, TAIL_BYTES);
	/**
	 * Records from before the question, with the start of the call. A later record counts once: it ends the question, or never does. If
	 * several calls are alike, the end of the turn ends it here.
	 */
	const earlier: TrafficRecord[] = [];
	let collectAt = Date.now() + UNCOLLECTED_MS;
	/** What shows the end is read once, and the end is noted as soon as the disk takes it. */
	let over: ReturnType<typeof outcomeIn>;
	const answer = await hold(questions, question, {
		isAwaited: () => process.ppid === call.parentPid && (!call.agent || liveness(call.agent) !== 'dead'),
		settle: async () => {
			if (Date.now() >= collectAt && boundSpool(paths.spool).waiting > 0) {
				await collectLater(folder);
				collectAt = Date.now() + UNCOLLECTED_MS;
			}
			// What nobody can read shows nothing, and keeps no answer from the agent.
			const news = await traffic.next().catch(() => []);
			over ??= outcomeIn({ question, answer: undefined, outcome: undefined }, [...earlier, ...news]);
			earlier.push(...news.filter(({ at }) => at <= question.askedAt));
			if (over) await questions.end(question.id, over.state, over.evidence);
		},
	});
	if (!answer) return;
	const said = outputFor(asking, hookCall, answer);
	if (typeof said !== 'string') return void (await questions.end(question.id, 'refused', said.reason));
	const noteHanded = questions.handing(question.id);
	if (await print(said)) noteHanded();
	else await questions.end(question.id, 'late', 'the agent no longer waited');
}

/** Whether the CLI's time for a hook is over. Its dialog stays open then. In a sleep of the machine, one of the two clocks may stand still. */
function isOvertime({ timeoutMs }: Call): boolean {
	return Math.max(performance.now(), Date.now() - performance.timeOrigin) >= timeoutMs - CLOSE_MS;
}

/** A text may be no answer to its field: only the driver knows. */
function outputFor(asking: Asking, call: HookCall, answer: Answer): string | { reason: string } {
	try {
		return asking.answer(call, answer).stdout;
	} catch (error) {
		return { reason: errorText(error) };
	}
}

/** Whether nobody has said yet why this session's questions are not held. */
function isFirst(paths: NancyPaths, session: SessionId): boolean {
	let isNew = false;
	inHeldFolderSync(join(paths.phases, `${session}.unheld`), file => (isNew = createFileAtomicSync(file, '\n')));
	return isNew;
}

function outOfReach(desk: string, folder: string): string {
	return `${desk} is inside ${folder}, where the agent writes: its questions are answered in the terminal alone`;
}

const call = readCall(process.argv.slice(2), process.env);
const asking = call && askings[speakerOf(call.driver.id)];
if (call && asking)
	run(call, asking)
		.catch((error: unknown) => {
			const { driver, session, event } = call;
			const about = { at: new Date().toISOString(), driver: driver.id, ...(session && { session }), event };
			note(call, { nancy: 'trouble', ...about, reason: errorText(error) });
		})
		.finally(() => process.exit(0));
