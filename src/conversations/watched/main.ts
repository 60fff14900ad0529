import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { errorText } from '../../base/errors.ts';
import { keepProgramsOutOf } from '../../base/searchPath.ts';
import { visible } from '../../base/visible.ts';
import { environmentOfTerminal } from '../../core/driver/agentEnvironment.ts';
import { callGuard, WAITS, type CalledGuard } from '../../core/driver/calledGuard.ts';
import type { ScreenProfile } from '../../core/driver/screen.ts';
import { agentsFolders } from '../../core/workspace/placeFrom.ts';
import { Workspace } from '../../core/workspace/workspace.ts';
import { screens } from '../../drivers/screens.ts';
import { DriverId, TaskName, WorkerName } from '../../protocol/names.ts';
import { BY_SIGNAL, Passage, type Program } from './passage.ts';
import { SeenScreen } from './seenScreen.ts';
import { TypedWake } from './typedWake.ts';

/**
 * A CLI in this terminal, with a look at its screen. Arguments: the driver, the launcher of hooks, the workspace folder, the CLI, and the words
 * of its launch. What fails here leaves the CLI in the terminal by itself.
 */
const [id = '', launcher = '', workspaceFolder = '', executable = '', ...args] = process.argv.slice(2);
const env = environmentOfTerminal(process.env);

keepProgramsOutOf(agentsFolders(workspaceFolder));
const program: Program = { executable, args, cwd: process.cwd(), env };
/** Of a terminal that says none: 80 and 24. */
const size = { cols: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
const profile = screens[id];
const run = profile && process.stdout.isTTY && process.stdin.isTTY ? watched(profile) : direct();
run.then(
	code => process.exit(code),
	(error: unknown) => {
		process.stderr.write(`${visible(errorText(error))}\n`);
		process.exit(1);
	},
);

async function watched(seen: ScreenProfile): Promise<number> {
	const screen = new SeenScreen(seen, size.cols, size.rows);
	let wake: TypedWake | undefined;
	const passage = await Passage.begin(program, size, {
		output: (bytes, shown) =>
			screen.write(bytes, () => {
				shown();
				wake?.changed();
			}),
		input: bytes => wake?.input(bytes),
		resized: (columns, rows) => screen.resize(columns, rows),
	}).catch((error: unknown) => {
		process.stderr.write(
			`Nancy cannot watch this terminal, and wakes no agent in it by typing: ${visible(errorText(error))}\n`,
		);
	});
	if (!passage) return direct();
	wake = new TypedWake({
		sends: seen.sends,
		inputLine: () => screen.inputLine(),
		type: text => passage.type(text),
		hold: () => passage.hold(),
		listen: () => listen(passage.pid),
	});
	const code = await passage.ended;
	wake.end();
	await passage.close();
	return code;
}

async function listen(agent: number): Promise<CalledGuard | undefined> {
	const address = { task: TaskName.parse(env['NANCY_TASK']), worker: WorkerName.parse(env['NANCY_WORKER']) };
	// The one that the record names last: a CLI may begin another.
	const session = (await new Workspace(workspaceFolder).worker(address))?.sessions.at(-1)?.id;
	if (session === undefined) return undefined;
	const call = { driver: DriverId.parse(id), event: WAITS, slot: 'wait', session, agent, seesIdle: true } as const;
	return callGuard({ launcher, workspaceFolder, env }, call, {});
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
