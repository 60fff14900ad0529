import { can } from '../../../src/core/driver/driver.ts';
import { must, partly, WORKS, type Cell } from '../cell.ts';
import { copiesOf, isAfter } from '../evidence.ts';

export const feedback: Cell = {
	id: 'feedback',
	title: 'Feedback waits until the agent would stop, comes in one batch, and keeps it going',
	needs: ['feedback'],
	about: 'feedback',
	triedAnyway: true,
	run: async lab => {
		const worker = await lab.start({ prompt: `${lab.held} [[sh:true]] [[text:First end]]` });
		await lab.made('begun');
		await lab.send(worker.address, 'First note.', { kind: 'feedback' });
		const id = await lab.send(worker.address, 'Second note. [[text:Second end]]', { kind: 'feedback' });
		lab.letGo();
		const request = await lab.seen('Second note.');
		must(request.text.includes('First note.'), 'the two came apart');
		must(isAfter(request, 'First end'), 'it came before the agent would have stopped');
		const { receipt } = await lab.delivered(worker.address, id);
		must(receipt?.rung === 'hook', `its receipt names the rung ${receipt?.rung}`);
		await worker.idle();
		const { driver, version, candidate } = lab;
		const isQuiet = !candidate.complaint.test(worker.terminal.screen());
		const claimsQuiet = can(driver, 'quietStop', version);
		must(isQuiet || !claimsQuiet, 'an error badge is on the screen');
		if (!isQuiet) return partly(String(driver.limits.quietStop ?? 'The terminal shows it as an error.'));
		const copies = copiesOf(request, 'Second note.');
		return copies === 1 ? WORKS : partly(`The model reads it ${copies} times.`);
	},
};
