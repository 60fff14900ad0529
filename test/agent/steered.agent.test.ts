import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { signal } from '../../src/process/signal.ts';
import { isAfter } from '../conformance/evidence.ts';
import type { ConformanceLab } from '../conformance/lab.ts';
import { eventually } from '../support/eventually.ts';
import { long, longIf } from '../support/long.ts';
import {
	claudeAdapterServed,
	codexAdapterServed,
	holdAnswers,
	opencodeServed,
	readAgain,
	servedLab,
} from '../support/servedAgents.ts';
import { readsAgainOnceKilled } from './stories.ts';

const WORDS = 'Use the other port.';

describe.each([claudeAdapterServed, codexAdapterServed, opencodeServed])('$agent.id, while it works', served => {
	const decides = served === codexAdapterServed;
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async () => {
		lab = await servedLab(served);
	};
	/** It has the words in the middle of its turn, and its model, which takes a moment as a real one does, has not answered them. */
	const steered = async (then = '[[sh:true]] [[text:First end]]') => {
		await begin();
		const worker = await lab.start({ prompt: `${lab.held} ${then}` });
		await lab.made('begun');
		const letGo = lab.model.hold(() => true);
		const id = await lab.send(worker.address, WORDS);
		lab.letGo();
		await worker.terminal.waitForText(/Use the other port\./);
		return { worker, letGo, id };
	};
	const copies = () => lab.requests().filter(({ turns }) => turns.at(-1)?.text.includes(WORDS)).length;

	it('reads a directive between two steps of its turn, and once', longIf(!decides), async () => {
		const { worker, letGo, id } = await steered();
		letGo();
		expect(isAfter(await lab.seen(WORDS), 'First end')).toBe(false);
		expect(await lab.delivered(worker.address, id)).toMatchObject({
			receipt: { rung: 'steer', event: 'tool-end' },
		});
		await worker.terminal.waitForText(/First end/);
		await worker.idle();
		await eventually('it is known to be read', async () => {
			await lab.view(worker.address);
			return (await lab.delivered(worker.address, id)).receipt?.inContextAt;
		});
		expect(copies()).toBe(1);
	});

	it('reads as its next prompt, and once, what comes when its turn is just over', longIf(!decides), async () => {
		await begin();
		const letGo = holdAnswers(lab, 'tool-end');
		const worker = await lab.start({ prompt: `${lab.held} [[text:First end]]` });
		await lab.made('begun');
		const id = await lab.send(worker.address, `${WORDS} [[text:Second end]]`);
		lab.letGo();
		await worker.terminal.waitForText(/First end/);
		// The adapter hears of the end of the turn after its last words, and nothing tells that.
		await sleep(2000);
		letGo();
		expect(isAfter(await lab.seen(WORDS), 'First end')).toBe(true);
		await worker.terminal.waitForText(/Second end/);
		await worker.idle();
		expect((await lab.delivered(worker.address, id)).receipt?.lost).toBeUndefined();
		expect(copies()).toBe(1);
	});

	it('reads again what it was given in the middle of a turn that its user breaks off', longIf(!decides), async () => {
		const { worker, letGo } = await steered();
		const before = lab.requests().length;
		await worker.interrupt();
		await worker.terminal.waitForText(/— interrupted —/);
		letGo();
		await readAgain(lab, worker, WORDS, before);
	});

	it.each(['without', 'with'])(
		'reads again what it was given when it was killed %s its terminal',
		long,
		async how => {
			const { worker, letGo } = await steered();
			await readsAgainOnceKilled(lab, worker, { how, letGo, words: WORDS });
		},
	);

	it(
		'reads, once it is resumed, what was being handed over when its terminal was killed',
		longIf(!decides),
		async () => {
			await begin();
			const letGo = holdAnswers(lab, 'tool-end');
			const worker = await lab.start({ prompt: lab.held });
			await lab.made('begun');
			// Otherwise its next step could begin before the guard is called.
			const answer = lab.model.hold(() => true);
			const id = await lab.send(worker.address, WORDS);
			lab.letGo();
			await lab.delivered(worker.address, id);
			signal(-worker.terminal.pid, 'SIGKILL');
			await worker.terminal.ended;
			letGo();
			answer();
			await lab.start({ resume: true, prompt: 'Go on. [[text:Going on]]' });
			await lab.seen(WORDS);
		},
	);

	it('reads again what its model failed on in the middle of a turn', long, async () => {
		const { worker, letGo } = await steered('[[err:400]]');
		letGo();
		await worker.terminal.waitForText(/400/);
		await worker.idle();
		const before = lab.requests().length;
		await worker.submit('Go on. [[text:Going on]]');
		await readAgain(lab, worker, WORDS, before);
	});
});
