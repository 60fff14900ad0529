import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { eventually } from '../../support/eventually.ts';
import { must, WORKS, type Cell } from '../cell.ts';
import { WORKER } from '../lab.ts';

/** One line of 31 kB, in which no word stands twice. */
const LONG = Array.from({ length: 4500 }, (_, number) => `w${number}`).join(' ');

export const longMessage: Cell = {
	id: 'long-message',
	title: 'A message of 31 kB is read whole, without a terminal and in its strictest permission mode',
	needs: ['headless', 'feedback'],
	triedAnyway: false,
	run: async lab => {
		const id = await lab.send(WORKER, LONG, { kind: 'result', from: 'delegate:review' });
		const { permissionModes } = headlessOf(lab.driver);
		const run = await lab.runHeadless('Wait for the result. [[text:I wait]]', {
			permissions: permissionModes[0]?.id ?? '',
		});
		await run.ended;
		const last = lab.requests().at(-1);
		const missing = LONG.split(' ').filter(word => !new RegExp(String.raw`\b${word}\b`).test(last?.text ?? ''));
		must(missing.length === 0, `the last request lacks ${missing.length} words, ${missing[0]} first`);
		await lab.delivered(WORKER, id);
		const { transcript } = lab.driver;
		const {
			messages: [message],
		} = await lab.nancy.mailbox(WORKER).list(['delivered']);
		if (transcript === 'none' || !message?.receipt || !transcript.keepsDelivery(message.receipt)) return WORKS;
		await eventually('its record proves the whole of it', async () => {
			await lab.view(WORKER);
			const { messages } = await lab.nancy.mailbox(WORKER).list(['delivered']);
			return messages.find(message => message.id === id)?.receipt?.inContextAt;
		});
		return WORKS;
	},
};
