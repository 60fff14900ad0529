import { homedir } from 'node:os';
import * as z from 'zod/mini';
import { errorText, hasCode, said } from '../base/errors.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import { isAtLeast, parseVersion } from '../base/version.ts';
import { drivers } from '../drivers/index.ts';
import { cleanUpElsewhere } from '../delegates/cleanUpElsewhere.ts';
import { executorAt, wayTo } from '../executors/executorAt.ts';
import { missingThere } from '../executors/findPrograms.ts';
import { forbiddenIn } from '../executors/kubectl.ts';
import { probe, type Probed } from '../executors/probe.ts';
import { sshHosts } from '../executors/sshHosts.ts';
import type { Way } from '../executors/way.ts';
import { clusterOf, hostOf, queueOf, type Cluster, type ExecutorId } from '../protocol/executorId.ts';
import { ExecutorsOutput, type Executor } from '../protocol/output/executors.ts';
import type { CommonSettings } from '../protocol/settings.ts';
import { executorNamed } from './shared/executors.ts';
import { isolationOf } from './shared/isolation.ts';
import { ticketsOf } from './shared/ticketsOf.ts';
import type { Operation, OperationContext } from './operation.ts';

/** The oldest Node.js version that runs Nancy's programs. */
const OLDEST_NODE = [20, 0, 0] as const;
/** Below that, a repository and a worktree soon have no room, in bytes. */
const LITTLE_ROOM = 1024 ** 3;

const Input = z.object({
	/** Those alone, and each is probed. */
	names: z.array(z.string()),
	/** Whether to connect to each. Without it, nothing is connected to. */
	isProbed: z.boolean(),
});
type Input = z.infer<typeof Input>;

/** The machines that delegates can run on. They are probed at once, so that a machine that hangs keeps no other one waiting. */
export const listExecutors: Operation<Input, ExecutorsOutput, OperationContext> = {
	name: 'listExecutors',
	input: Input,
	output: ExecutorsOutput,
	async permit(asker) {
		permit(asker, { is: 'see-machines' });
	},
	async run(_asker, { names, isProbed }, context) {
		const { readSettings, workspace, env } = context;
		const settings = await readSettings(workspace.folder);
		const known: Executor[] = Object.entries(settings.executors ?? {}).map(
			([name, { max, isolate, fromAgents }]) => ({
				name,
				id: executorNamed(name, settings),
				from: 'settings',
				max,
				isolate,
				fromAgents,
				lacks: [],
			}),
		);
		for (const host of sshHosts(env['HOME'] ?? homedir()))
			known.push({ name: `ssh:${host}`, id: `ssh:${host}`, from: 'ssh', lacks: [] });
		const probedAll = async (all: Executor[]) => {
			const executors = await Promise.all(all.map(each => probed(each, settings)));
			// One after the other: they share the notes of what is left.
			for (const each of executors) if (canCleanUp(each)) await cleanUpLeft(each.id, settings, context);
			return executors;
		};
		if (names.length === 0) return { executors: isProbed ? await probedAll(known) : known };
		const asked = names.map(
			(name): Executor =>
				known.find(each => each.name === name || each.name === `ssh:${name}`) ?? {
					name,
					id: executorNamed(name, settings),
					from: 'asked',
					lacks: [],
				},
		);
		return { executors: await probedAll(asked) };
	},
};

/** The image of a cluster's pods is not known before one runs. */
async function probedCluster(executor: Executor, cluster: Cluster): Promise<Executor> {
	try {
		const lacks = (await forbiddenIn(cluster)).map(
			each => phrase`you may not ${each} there: have a role that allows it bound to you`,
		);
		return { ...executor, isReachable: true, lacks };
	} catch (error) {
		if (!hasCode(error, 'timeout', 'io')) throw error;
		return { ...executor, isReachable: false, lacks: [said(error)] };
	}
}

async function probed(executor: Executor, settings: CommonSettings): Promise<Executor> {
	const cluster = clusterOf(executor.id);
	if (cluster) return probedCluster(executor, cluster);
	// There, a delegate always works in a worktree.
	const candidates = drivers.filter(({ headless, floors }) => headless !== 'none' && floors.worktree !== 'none');
	try {
		const way = wayTo(executor.id);
		const has = await probe(way, candidates);
		const agents = candidates.flatMap(({ id }) =>
			has.agents.filter(each => each.id === id).map(each => ({ ...each, id })),
		);
		const lacks = [
			...(await lacksOfQueue(way, commandsOf(executor.id, settings))),
			...lacksOf(has, executor.id, settings),
		];
		return { ...executor, isReachable: true, has: { ...has, agents }, lacks };
	} catch (error) {
		if (!hasCode(error, 'timeout', 'io')) throw error;
		const host = hostOf(executor.id);
		const lack =
			host === undefined
				? said(error)
				: phrase`${errorText(error)}. Connect once in a terminal: ${`ssh ${host}`}`;
		return { ...executor, isReachable: false, lacks: [lack] };
	}
}

async function lacksOfQueue(way: Way, commands: readonly string[]): Promise<Phrase[]> {
	try {
		const missing = await missingThere(way, commands);
		return missing.map(
			name =>
				phrase`a login shell finds no ${name}: give the absolute path of the queue's command, or add it to the PATH in ~/.profile`,
		);
	} catch (error) {
		if (!hasCode(error, 'timeout', 'io')) throw error;
		return [phrase`whether it has the commands of the queue is not known: ${errorText(error)}`];
	}
}

/** It needs no agent, no room and no queue. */
function canCleanUp({ id, has, isReachable }: Executor): boolean {
	if (clusterOf(id)) return isReachable === true;
	return has !== undefined && has.git !== '' && isNewEnough(has.node);
}

function isNewEnough(node: string): boolean {
	const version = parseVersion(node);
	return version !== undefined && isAtLeast(version, OLDEST_NODE);
}

/** What delegates of the workspace have left there while it could not be reached. */
async function cleanUpLeft(id: ExecutorId, settings: CommonSettings, context: OperationContext): Promise<void> {
	const tickets = ticketsOf(context);
	try {
		if ((await tickets.jobs.unwatched(id)).length === 0) return;
		const readSettings = () => Promise.resolve(settings);
		const executor = executorAt(id, await context.installRuntime(), { readSettings });
		await cleanUpElsewhere(tickets, id, executor, text => context.note(text));
	} catch (error) {
		context.note(errorText(error));
	}
}

/** The programs of a queue that the user names. */
function commandsOf(id: ExecutorId, { executors = {} }: CommonSettings): string[] {
	const queue = queueOf(id);
	const named = queue && Object.hasOwn(executors, queue.name) ? executors[queue.name] : undefined;
	if (named?.type !== 'command') return [];
	return Array.from(new Set([named.submit, named.look, named.cancel].flatMap(([program]) => program ?? [])));
}

function lacksOf(has: Probed, id: ExecutorId, settings: CommonSettings): Phrase[] {
	const { node, git, slurm, agents, freeBytes, survivesLogout, bubblewrap, sandboxFault } = has;
	const lacks: Phrase[] = [];
	const queue = queueOf(id);
	if (queue?.type === 'slurm' && slurm === '')
		lacks.push(phrase`a login shell finds no sbatch, squeue and scancel: name a login host of the Slurm cluster`);
	if (!parseVersion(node))
		lacks.push(
			phrase`a login shell finds no node: install Node 20 or newer there, or add it to the PATH in ~/.profile`,
		);
	else if (!isNewEnough(node)) lacks.push(phrase`its Node is ${node}: install Node 20 or newer there`);
	if (git === '') lacks.push(phrase`a login shell finds no git: install git there`);
	const [tried] = drivers;
	if (tried && !agents.some(({ id }) => id === tried.id)) {
		const command = `npm install -g ${tried.npmPackage}`;
		lacks.push(
			phrase`a login shell finds no ${tried.displayName}, the only agent that was tried on other machines: install it there, as by ${command}, and log it in`,
		);
	}
	if (isolationOf({ on: id }, settings) !== undefined) {
		if (bubblewrap === '')
			lacks.push(
				phrase`a login shell finds no bwrap, and your settings have delegates run in a sandbox there: install bubblewrap there, as by ${'apt install bubblewrap'}`,
			);
		else if (sandboxFault !== '')
			lacks.push(
				phrase`its bubblewrap makes no sandbox (${sandboxFault}): let the system there allow user namespaces`,
			);
	}
	if (freeBytes < LITTLE_ROOM)
		lacks.push(
			phrase`its home folder has ${Math.floor(freeBytes / 1024 ** 2)} MB left: make room for a repository and a worktree`,
		);
	// Jobs of a queue belong to no login.
	if (survivesLogout === 'no' && !queue)
		lacks.push(phrase`it ends delegates at logout: set KillUserProcesses=no in /etc/systemd/logind.conf there`);
	return lacks;
}
