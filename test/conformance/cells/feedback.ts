import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { can } from '../../../src/core/driver/abilities.ts';
import { folderId } from '../../../src/core/live/deskView.ts';
import { MessageId } from '../../../src/protocol/names.ts';
import { contextOf } from '../../support/operationContext.ts';
import { deskOn } from '../../support/servedDesk.ts';
import { must, partly, WORKS, type Cell } from '../cell.ts';
import { copiesOf, isAfter } from '../evidence.ts';

export const feedback: Cell = {
	id: 'feedback',
	title: 'Feedback waits until the agent would stop, comes in one batch, and keeps it going',
	needs: ['feedback'],
	about: 'feedback',
	alsoShows: ['quietStop'],
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
		must(receipt?.rung === 'hook' || receipt?.rung === 'prompt', `its receipt names the rung ${receipt?.rung}`);
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

export const feedbackFromPage: Cell = {
	id: 'feedback-from-page',
	title: 'Feedback that a person writes on the desk’s page is read, and the page shows its receipt',
	needs: ['feedback'],
	about: 'feedback',
	triedAnyway: false,
	run: async lab => {
		const { nancy } = lab;
		const place = { path: lab.home, file: (name: string) => join(lab.home, name) };
		await using desk = await deskOn(contextOf(place, nancy, { dataFolder: nancy.own.dataFolder }));
		const device = await desk.pair('feedback', 'Phone');
		const page = desk.page();
		await page.enter(device);
		const worker = await lab.start({ prompt: `${lab.held} [[text:First end]]` });
		await lab.made('begun');
		const written = {
			folder: folderId(nancy.folder),
			...worker.address,
			kind: 'feedback',
			text: 'From my phone. [[text:Second end]]',
			nonce: randomUUID(),
		};
		const { status, text, json } = await desk.post('/api/v1/messages', written, device.token);
		must(status === 200, `the page was refused: ${text}`);
		const id = MessageId.parse(json['id']);
		await page.message(id, 'queued');
		lab.letGo();
		const request = await lab.seen('From my phone.');
		must(isAfter(request, 'First end'), 'it came before the agent would have stopped');
		const { author, receipt } = await page.message(id, 'delivered');
		must(author.is === 'human', `it came from ${JSON.stringify(author)}`);
		must(receipt?.rung === 'hook' || receipt?.rung === 'prompt', `its receipt names the rung ${receipt?.rung}`);
		return WORKS;
	},
};
