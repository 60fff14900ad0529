import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, hasErrno, NancyError, said } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { theWorker } from '../workspace/named.ts';
import { folderNames } from '../../base/listing.ts';
import { formatVersion } from '../../base/version.ts';
import type { Deployment } from '../../protocol/deployment.ts';
import type { Finding, Instruments } from '../deployment/finding.ts';
import { hooksFinding } from '../deployment/hooksFinding.ts';
import { DeploymentRecords } from '../deployment/records.ts';
import { can, type Capability } from '../driver/abilities.ts';
import type { Driver } from '../driver/driver.ts';
import { isTalkedWith } from '../driver/talkedWith.ts';
import { isRunning } from '../workspace/workerLife.ts';
import { readOverview } from './readOverview.ts';
import type { InstalledRuntime } from '../deployment/runtime.ts';
import { REJECTED } from '../traffic/rejected.ts';
import { strangersIn } from '../traffic/strangers.ts';
import { hasHooksHere } from '../workspace/hooksChoice.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Explains what is deployed where, in which versions, and what is broken. Reads only; repairs are in the findings. */
export async function examine(workspace: Workspace, instruments: Instruments): Promise<Finding[]> {
	const findings: Finding[] = [await writable(workspace)];
	const { installRuntime } = instruments;
	const runtime = installRuntime && (await attempt(findings, 'runtime', installRuntime));
	if (!installRuntime) {
		const text = phrase`in Restricted Mode Doctor runs no program; trust this workspace and run it again`;
		findings.push({ check: 'runtime', level: 'note', text });
	}
	if (runtime?.isRepaired) {
		const text = phrase`the programs in ${runtime.folder} were damaged and have been installed again`;
		findings.push({ check: 'runtime', level: 'note', text });
	}
	if (runtime) findings.push(await launcher(runtime, instruments));
	const hasHooks = await attempt(findings, 'hooks', () => hasHooksHere(workspace));
	const deployments = new DeploymentRecords(workspace, instruments.dataFolder);
	if (hasHooks === false) findings.push(withoutHooks(await deployments.all()));
	for (const each of instruments.agents) {
		findings.push(...agent(each));
		if (runtime && hasHooks === true && !isTalkedWith(each.driver))
			await attempt(findings, 'hooks', async () =>
				findings.push(await hooksFinding(deployments, instruments, runtime, each)),
			);
	}
	await attempt(findings, 'records', async () =>
		findings.push(
			...(await records(
				workspace,
				instruments.agents.map(({ driver }) => driver),
			)),
		),
	);
	return findings;
}

/** The outcome of one repair. */
export interface Repair {
	finding: Finding;
	/** Why it failed; absent after a success. */
	failure?: string | Phrase;
}

/** Repairs one finding after the other. A failure does not stop the others. */
export async function repair(findings: readonly Finding[]): Promise<Repair[]> {
	const results: Repair[] = [];
	for (const finding of findings) {
		if (!finding.repair) continue;
		try {
			await finding.repair.run();
			results.push({ finding });
		} catch (error) {
			results.push({ finding, failure: said(error) });
		}
	}
	return results;
}

async function writable(workspace: Workspace): Promise<Finding> {
	try {
		await access(workspace.paths.root, constants.W_OK);
		return { check: 'folder', level: 'ok', text: phrase`${workspace.paths.root} can be written` };
	} catch (error) {
		if (hasErrno(error, 'ENOENT'))
			return { check: 'folder', level: 'note', text: phrase`${workspace.folder} has no tasks yet` };
		return {
			check: 'folder',
			level: 'problem',
			text: phrase`${workspace.paths.root} cannot be written (${errorText(error)}); messages and receipts have nowhere to go`,
		};
	}
}

async function launcher(
	{ launcher: program, folder, node }: InstalledRuntime,
	{ tryLauncher }: Instruments,
): Promise<Finding> {
	const failure = await tryLauncher(program);
	const runner = node.isElectron ? phrase`the editor's own Node` : node.executable;
	if (failure === undefined) return { check: 'runtime', level: 'ok', text: phrase`${folder}, run by ${runner}` };
	return { check: 'runtime', level: 'problem', text: phrase`the hook program in ${folder} does not run: ${failure}` };
}

const abilities: readonly { capability: Capability; without: Phrase }[] = [
	{ capability: 'hooks', without: phrase`reports nothing to Nancy` },
	{ capability: 'steer', without: phrase`reads messages only when it is done` },
	{ capability: 'feedback', without: phrase`reads messages with its next prompt alone` },
	{ capability: 'quietStop', without: phrase`shows an error badge when feedback keeps it going` },
	{ capability: 'wake', without: phrase`cannot be woken when idle; messages wait for its next prompt` },
	{ capability: 'status', without: phrase`reports its state through events only` },
];

/** What an agent that reads messages with its prompts alone lacks besides needs no line of its own. */
const SAID_BY_FEEDBACK: readonly Capability[] = ['steer', 'quietStop', 'wake'];

function agent({ driver, found, problem }: Instruments['agents'][number]): Finding[] {
	if (!found) return [{ check: 'agent', level: 'note', text: phrase`${driver.displayName}: ${problem}` }];
	const version = `${driver.displayName} ${formatVersion(found.version)}`;
	const lacks = ({ capability }: { capability: Capability }) => !can(driver, capability, found.version);
	const isLater = lacks({ capability: 'feedback' });
	const missing = abilities.filter(each => lacks(each) && !(isLater && SAID_BY_FEEDBACK.includes(each.capability)));
	return [
		{ check: 'agent', level: 'ok', text: phrase`${version} at ${found.executable}` },
		...missing.map(({ without }): Finding => ({
			check: 'agent',
			level: 'note',
			text: phrase`${version} ${without}`,
		})),
	];
}

function withoutHooks(deployments: readonly Deployment[]): Finding {
	const isLeft = deployments.length > 0;
	return {
		check: 'hooks',
		level: 'note',
		text: isLeft
			? phrase`hooks are off (nancy.hooks): agents are started without, and messages for them stay queued;
				what was deployed before is still there: nancy cleanup takes it back`
			: phrase`hooks are off (nancy.hooks): agents are started without, and messages for them stay queued`,
	};
}

/** Records and messages: unreadable files, claims of hooks that died, messages whose reader has gone. */
async function records(workspace: Workspace, drivers: readonly Driver[]): Promise<Finding[]> {
	const findings: Finding[] = [];
	const { tasks, problems } = await readOverview(workspace, drivers, { readOnly: true });
	for (const { record: worker, queued } of tasks.flatMap(({ workers }) => workers)) {
		const address = { task: worker.task, worker: worker.name };
		if (queued > 0 && !isRunning(worker)) {
			findings.push({
				check: 'messages',
				level: 'note',
				text: phrase`${queued} queued for ${theWorker(address)}, which is not running; resume it to deliver them`,
			});
		}
		const mailbox = workspace.mailbox(address);
		if ((await mailbox.list(['claimed'])).messages.length === 0) continue;
		findings.push({
			check: 'messages',
			level: 'note',
			text: phrase`${theWorker(address)} has messages in the hands of a hook`,
			repair: { text: phrase`give back what a dead hook holds`, run: async () => void (await mailbox.recover()) },
		});
	}
	if ((await folderNames(workspace.paths.spool)).includes(REJECTED)) {
		findings.push({
			check: 'traffic',
			level: 'note',
			text: phrase`events that could not be read are kept in ${join(workspace.paths.spool, REJECTED)}`,
		});
	}
	const broken = [...problems, ...(await strangersIn(workspace.paths.spool))];
	for (const { file, reason } of broken) {
		findings.push({
			check: 'files',
			level: 'problem',
			text: phrase`${file}: ${reason.replace(/\.$/, '')}. Nancy leaves it as it is; it is yours to repair or to move`,
		});
	}
	if (broken.length === 0)
		findings.push({
			check: 'files',
			level: 'ok',
			text:
				tasks.length === 1
					? phrase`1 task, all records readable`
					: phrase`${tasks.length} tasks, all records readable`,
		});
	return findings;
}

async function attempt<T>(findings: Finding[], check: string, run: () => Promise<T>): Promise<T | undefined> {
	try {
		return await run();
	} catch (error) {
		const text = error instanceof NancyError ? error.said : phrase`could not be looked at: ${errorText(error)}`;
		findings.push({ check, level: 'problem', text });
		return undefined;
	}
}
