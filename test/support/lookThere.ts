import { JobAnswers } from '../../src/executors/jobLook.ts';
import { steps } from '../../src/executors/there.ts';
import type { DelegateId } from '../../src/protocol/delegate.ts';
import { Seen } from '../../src/protocol/remoteJob.ts';

/** A look at one job of this home folder, as another machine asks for it. */
export async function lookThere(id: DelegateId, program = ''): Promise<Seen> {
	const looked = await steps['look']?.({ jobs: [{ id, offset: 0, carried: [] }] }, program);
	return Seen.parse(JobAnswers.parse(looked).answers[0]?.answer);
}
