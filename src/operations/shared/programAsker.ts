import { dataFolder } from '../../base/folders.ts';
import { ownMachine } from '../../base/machine.ts';
import { askerOf, environmentOf, type Asker, type Lineage, type SealOf } from '../../core/asker/asker.ts';
import { sealedAgent } from '../../core/sessions/sealedAgents.ts';
import { programs } from '../../drivers/programs.ts';
import { becomeEnvironment } from '../../process/environment.ts';
import { lineageOf } from '../../process/lineage.ts';

let known: Lineage | undefined;

const sealOf: SealOf = ({ pid, startedTicks }, env) =>
	sealedAgent(dataFolder(env), { machine: ownMachine(), pid, startedTicks });

/** The processes above this one. A program reads the environment through them, so that it is the asker's from the start. */
function lineage(): Lineage {
	if (known) return known;
	known = lineageOf({ ...process.env });
	becomeEnvironment(environmentOf(known, programs, sealOf));
	return known;
}

/**
 * Who has called this program. Looked up at first use.
 * @throws NancyError `not-trusted` if nobody can tell: see `askerOf`
 */
export function programAsker(): Asker {
	return askerOf(lineage(), programs, sealOf);
}

/** The environment that the caller has not chosen for this one call: see `environmentOf`. This process has it from then on. */
export function programEnvironment(): NodeJS.ProcessEnv {
	lineage();
	return process.env;
}
