import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { DoctorOutput } from '../../protocol/output/deployment.ts';
import { answer, command } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { findDeployed } from '../../operations/shared/place.ts';
import { printableLine } from '../words.ts';

const Input = z.object({ fix: z._default(z.boolean(), false) });

const signs: Readonly<Record<Check['level'], string>> = { ok: 'ok      ', note: 'note    ', problem: 'PROBLEM ' };

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
	async (input, context) => {
		const done = await perform(
			await operations.doctor(),
			context.asker,
			input,
			programContext(await findDeployed(context), context),
		);
		for (const { text, reason } of done.failed)
			context.note(`${String(text)} could not be repaired: ${String(reason)}`);
		return answer(DoctorOutput, done, done.checks.map(line), done.healthy ? ExitCode.ok : ExitCode.failed);
	},
);

type Check = DoctorOutput['checks'][number];

function line({ level, check: what, text, repair, repaired }: Check): string {
	if (repaired) return `repaired ${what}: ${printableLine(String(text), 1000)}`;
	const cure = repair === undefined ? '' : ` (nancy doctor --fix: ${String(repair)})`;
	return `${signs[level]} ${what}: ${printableLine(String(text), 1000)}${cure}`;
}
