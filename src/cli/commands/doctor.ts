import * as z from 'zod/mini';
import { dataFolder } from '../../base/folders.ts';
import { permit } from '../../core/asker/permit.ts';
import type { Finding } from '../../core/deployment/doctor.ts';
import { DoctorOutput } from '../../protocol/output/deployment.ts';
import { answer, command } from '../command.ts';
import { betweenAnswers } from '../currentOverview.ts';
import { ExitCode } from '../failure.ts';
import { findDeployed } from '../place.ts';
import { printableLine } from '../words.ts';

const Input = z.object({ fix: z._default(z.boolean(), false) });

const signs: Readonly<Record<Finding['level'], string>> = { ok: 'ok      ', note: 'note    ', problem: 'PROBLEM ' };

export const doctor = command(
	{
		name: 'doctor',
		summary: 'explain what is deployed where, and what is broken',
		details: [
			'Looks at the agents that are installed, the hooks and skills in this workspace, the programs they call and the files ' +
				'in .nancy. Changes nothing in the workspace without --fix. Exit code 1 when something is broken and stays so.',
		],
		positionals: [],
		options: { fix: { help: 'repair what can be repaired' } },
		examples: [['nancy doctor --fix', 'after an update, or when an agent does not listen']],
	},
	Input,
	async ({ fix }, context) => {
		if (fix) permit(context.asker, { is: 'change-settings', command: 'nancy doctor --fix' });
		const [{ examine, repair }, { instruments }, { refuseTracked }, { deployedIn }, { drivers }] =
			await Promise.all([
				import('../../core/deployment/doctor.ts'),
				import('../agents.ts'),
				import('../../git/refuseTracked.ts'),
				import('../../core/deployment/cleanUp.ts'),
				import('../../drivers/index.ts'),
			]);
		const workspace = await findDeployed(
			context,
			async candidate => (await deployedIn(candidate, drivers, dataFolder(context.env))).length > 0,
		);
		if (fix) await refuseTracked(workspace);
		const tools = await instruments(context);
		const repairs = fix
			? await betweenAnswers(workspace, context, async isBusy =>
					repair(await examine(workspace, { ...tools, isBusy })),
				)
			: [];
		const after = await examine(workspace, tools);
		const done = repairs.filter(({ failure }) => failure === undefined).map(({ finding }) => finding);
		for (const { finding, failure } of repairs) {
			if (failure !== undefined) context.note(`${finding.text} could not be repaired: ${failure}`);
		}
		const checks = [...done.map(finding => check(finding, true)), ...after.map(finding => check(finding, false))];
		const isHealthy = !after.some(({ level }) => level === 'problem');
		return answer(
			DoctorOutput,
			{ folder: workspace.folder, healthy: isHealthy, checks },
			checks.map(line),
			isHealthy ? ExitCode.ok : ExitCode.failed,
		);
	},
);

type Check = z.infer<typeof DoctorOutput>['checks'][number];

function check({ check: what, level, text, repair }: Finding, repaired: boolean): Check {
	return { check: what, level, text, repaired, ...(repair && { repair: repair.text }) };
}

function line({ level, check: what, text, repair, repaired }: Check): string {
	if (repaired) return `repaired ${what}: ${printableLine(text, 1000)}`;
	const cure = repair === undefined ? '' : ` (nancy doctor --fix: ${repair})`;
	return `${signs[level]} ${what}: ${printableLine(text, 1000)}${cure}`;
}
