import * as z from 'zod/mini';
import { said } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import { examine, repair, type Repair } from '../core/live/doctor.ts';
import type { Finding, Instruments } from '../core/deployment/finding.ts';
import { drivers } from '../drivers/index.ts';
import { askGit } from '../git/askGit.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { requireBubblewrap } from '../process/bubblewrap.ts';
import { seekerOf, type Seeker } from '../process/detect.ts';
import { tryLauncher } from '../process/tryLauncher.ts';
import { DoctorOutput } from '../protocol/output/deployment.ts';
import { detect } from './shared/agents.ts';
import { serverRows } from './shared/agentServers.ts';
import { betweenAnswers } from './shared/betweenAnswers.ts';
import { requireTrust, type Operation, type OperationContext } from './operation.ts';

const Input = z.object({ fix: z.boolean() });

/** Explains the deployment and its problems; with `fix` it repairs. In Restricted Mode it only reads and runs nothing. */
export const doctor: Operation<z.infer<typeof Input>, DoctorOutput> = {
	name: 'doctor',
	input: Input,
	output: DoctorOutput,
	worksUntrusted: true,
	async permit(asker, { fix }, context) {
		if (!fix) return;
		permit(asker, { is: 'change-settings', command: 'nancy doctor --fix' });
		requireTrust(context);
		await refuseTracked(context.workspace);
	},
	async run(asker, { fix }, context) {
		const { workspace } = context;
		const tools = await instruments(context, seekerOf(asker));
		const repairs = fix
			? await betweenAnswers(context, async isBusy => repair(await examine(workspace, { ...tools, isBusy })))
			: [];
		const after = [
			...(await examine(workspace, tools)),
			...(await servers(context, seekerOf(asker))),
			...(await isolation(context)),
		];
		const done = repairs.filter(({ failure }) => failure === undefined);
		return {
			folder: workspace.folder,
			healthy: !after.some(({ level }) => level === 'problem'),
			checks: [
				...done.map(({ finding }) => check(finding, true)),
				...after.map(finding => check(finding, false)),
			],
			failed: repairs.flatMap(failed),
		};
	},
};

/** Input of the doctor: every agent that Nancy knows, found or not, and the programs that hooks call. */
async function instruments(context: OperationContext, seeker: Seeker): Promise<Instruments> {
	const agents = drivers.map(async driver => {
		const found = await detect(driver, context, seeker);
		if (found.found) return { driver, found, problem: '' };
		return {
			driver,
			found: undefined,
			problem: found.hint === '' ? phrase`${found.reason}.` : phrase`${found.reason}. ${found.hint}`,
		};
	});
	return {
		agents: await Promise.all(agents),
		dataFolder: context.dataFolder,
		installRuntime: context.isTrusted ? () => context.installRuntime() : undefined,
		tryLauncher,
		env: context.env,
		askGit,
	};
}

/** The checks of the agents that the user's settings name. Nothing is deployed for these agents. */
async function servers(context: OperationContext, seeker: Seeker): Promise<Finding[]> {
	return (await serverRows(context, seeker)).map(({ driver, found, problem, isWrong }) => ({
		check: 'agent',
		level: found ? 'ok' : isWrong ? 'problem' : 'note',
		text: found
			? phrase`${driver.displayName} at ${found.executable}`
			: isWrong
				? (problem ?? '')
				: phrase`${driver.displayName}: ${problem}`,
	}));
}

/** Whether delegates can be isolated as the user has set it. In Restricted Mode no program is run. */
async function isolation(context: OperationContext): Promise<Finding[]> {
	const { isolate = 'none' } = await context.readSettings(context.workspace.folder);
	if (isolate === 'none' || !context.isTrusted) return [];
	try {
		const bwrap = await requireBubblewrap(context.env);
		return [{ check: 'isolation', level: 'ok', text: phrase`delegates run isolated by ${bwrap}` }];
	} catch (error) {
		return [{ check: 'isolation', level: 'problem', text: phrase`no delegate runs: ${said(error)}` }];
	}
}

function check(finding: Finding, repaired: boolean): DoctorOutput['checks'][number] {
	const { check: what, level, text } = finding;
	return { check: what, level, text, repaired, ...(finding.repair && { repair: finding.repair.text }) };
}

function failed({ finding, failure }: Repair): DoctorOutput['failed'] {
	return failure === undefined ? [] : [{ check: finding.check, text: finding.text, reason: failure }];
}
