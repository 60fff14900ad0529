import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { errorText } from '../../base/errors.ts';
import { keepProgramsOutOf } from '../../base/searchPath.ts';
import { visible } from '../../base/visible.ts';
import { environmentOfTerminal } from '../../core/driver/agentEnvironment.ts';
import { callGuard, WAITS, type CalledGuard, type GuardCall } from '../../core/driver/calledGuard.ts';
import type { ScreenProfile } from '../../core/driver/screen.ts';
import { ASKS_ON_SCREEN, type AskedOnScreen, type ScreenStates } from '../../core/driver/screenStates.ts';
import { readPhase } from '../../core/sessions/phase.ts';
import { agentsFolders } from '../../core/workspace/placeFrom.ts';
import { noteScreen } from '../../core/workspace/shownScreens.ts';
import { Workspace, type WorkerAddress } from '../../core/workspace/workspace.ts';
import { screens } from '../../drivers/screens.ts';
import { screenStates } from '../../drivers/screenStates.ts';
import { DriverId, TaskName, WorkerName, type SessionId } from '../../protocol/names.ts';
import { BY_SIGNAL, Passage, type Program } from './passage.ts';
import { ScreenQuestions } from './screenQuestions.ts';
import { ScreenReport } from './screenReport.ts';
import { SeenScreen } from './seenScreen.ts';
import type { ShownQuestion } from './shownQuestion.ts';
import { readingOf } from './shownState.ts';
import { TypedWake } from './typedWake.ts';

/**
 * A CLI in this terminal, with a look at its screen. Arguments: the driver, the launcher of hooks (empty without hooks), the workspace folder,
 * the CLI, and the words of its launch. What fails here leaves the CLI in the terminal by itself.
 */
const [id = '', launcher = '', workspaceFolder = '', executable = '', ...args] = process.argv.slice(2);
const env = environmentOfTerminal(process.env);
const workspace = new Workspace(workspaceFolder);

keepProgramsOutOf(agentsFolders(workspaceFolder));
const program: Program = { executable, args, cwd: process.cwd(), env };
/** A terminal that says no size has 80 columns and 24 rows. */
const size = { cols: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
/** Without hooks no message reaches the CLI, so nothing wakes it and nobody answers it from elsewhere. */
const isHooked = launcher !== '';
const states = screenStates[id];
const run = states && process.stdout.isTTY && process.stdin.isTTY ? watched(states) : direct();
run.then(
	code => process.exit(code),
	(error: unknown) => {
		process.stderr.write(`${visible(errorText(error))}\n`);
		process.exit(1);
	},
);

async function watched(shows: ScreenStates): Promise<number> {
	const seen: ScreenProfile | undefined = isHooked ? screens[id] : undefined;
	const screen = new SeenScreen(seen, size.cols, size.rows);
	const reading = () => {
		const shown = screen.shown();
		return shown && readingOf(shown, shows);
	};
	const report = new ScreenReport({
		state: () => {
			const state = reading()?.state;
			// In a terminal of lines, an answer can look like a question. The desk asks the hooks.
			return state === 'asking' && shows.answers === 'line' ? undefined : state;
		},
		tell: shown => noteScreen(workspace, addressOf(env), shown),
	});
	let wake: TypedWake | undefined;
	let questions: ScreenQuestions | undefined;
	const passage = await Passage.begin(program, size, {
		output: (bytes, shown) =>
			screen.write(bytes, () => {
				shown();
				report.changed();
				wake?.changed();
				questions?.changed();
			}),
		input: bytes => {
			report.input(bytes);
			wake?.input(bytes);
			questions?.input();
		},
		resized: (columns, rows) => screen.resize(columns, rows),
	}).catch((error: unknown) => {
		process.stderr.write(`Nancy cannot watch this terminal: ${visible(errorText(error))}\n`);
	});
	if (!passage) return direct();
	const types = { type: (text: string) => passage.type(text), hold: () => passage.hold() };
	if (seen)
		wake = new TypedWake({
			...types,
			sends: seen.sends,
			inputLine: () => screen.inputLine(),
			listen: () => called(passage.pid, { event: WAITS, slot: 'wait', seesIdle: true }, async () => ({})),
		});
	if (isHooked && shows.answers !== 'hook')
		questions = new ScreenQuestions({
			...types,
			isCurrent: () => screen.isCurrent,
			goesOnAfterNo: shows.answers === 'line',
			reading,
			ask: question =>
				called(passage.pid, { event: ASKS_ON_SCREEN, slot: 'ask' }, async (session, { paths }) => {
					// In a terminal of lines, an answer can look like a question. Its turn is over, then.
					const isOver = shows.answers === 'line' && (await readPhase(paths, session)).phase !== 'busy';
					return isOver ? undefined : askedOn(question, session);
				}),
		});
	const code = await passage.ended;
	wake?.end();
	questions?.end();
	report.end();
	await passage.close();
	return code;
}

/**
 * The guard's call for the session that the CLI in this terminal has begun last. It is `undefined` if no session is known, or there is
 * nothing to say.
 */
async function called(
	agent: number,
	call: Pick<GuardCall, 'event' | 'slot' | 'seesIdle'>,
	payloadOf: (session: SessionId, workspace: Workspace) => Promise<object | undefined>,
): Promise<CalledGuard | undefined> {
	// The one that the record names last: a CLI may begin another.
	const session = (await workspace.worker(addressOf(env)))?.sessions.at(-1)?.id;
	const payload = session && (await payloadOf(session, workspace));
	if (session === undefined || payload === undefined) return undefined;
	return callGuard(
		{ launcher, workspaceFolder, env },
		{ driver: DriverId.parse(id), session, agent, ...call },
		payload,
	);
}

function addressOf({ NANCY_TASK: task, NANCY_WORKER: worker }: NodeJS.ProcessEnv): WorkerAddress {
	return { task: TaskName.parse(task), worker: WorkerName.parse(worker) };
}

function askedOn({ asks, tool = '', about, what }: ShownQuestion, session: SessionId): AskedOnScreen {
	return { session, cwd: process.cwd(), asks, tool, about, what };
}

/** In this terminal itself. */
function direct(): Promise<number> {
	const child = spawn(executable, args, { env, stdio: 'inherit' });
	// The terminal sends these to both: the CLI knows what they mean.
	for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.on(signal, () => undefined);
	for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
	return new Promise((resolve, reject) =>
		child
			.on('error', reject)
			.on('exit', (code, signal) =>
				resolve(signal === null ? (code ?? 1) : BY_SIGNAL + constants.signals[signal]),
			),
	);
}
