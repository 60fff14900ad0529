import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LogWriter } from '../../../../src/core/delegates/logWriter.ts';

/** A log whose disk is as slow as asked for. */
function slowLog(appendMs = 0) {
	const appends: string[] = [];
	const log = new LogWriter(async text => {
		await sleep(appendMs);
		appends.push(text);
	});
	return { log, appends, text: () => appends.join('') };
}

describe('a log', () => {
	it('has in order what was said, in few appends', async () => {
		const { log, appends, text } = slowLog(5);
		const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
		for (const line of lines) log.say(line);
		await log.settle();
		expect(text()).toBe(lines.join(''));
		expect(appends.length).toBeLessThan(10);
		log.say('later\n');
		await log.settle();
		expect(text()).toMatch(/line 19999\nlater\n$/);
	});

	it('leaves out what the disk is too slow for, says how much, and keeps beginning and end', async () => {
		const { log, appends, text } = slowLog(20);
		log.say('first\n');
		await sleep(10);
		for (let index = 0; index < 200_000; index++) log.say(`${'noise '.repeat(10)}${index}\n`);
		log.say('last\n');
		await log.settle();
		expect(appends.length).toBeLessThan(50);
		expect(text()).toMatch(/^first\n\n\[… \d+ characters left out …\]\nnoise /);
		expect(text()).toMatch(/199999\nlast\n$/);
		expect(text().length).toBeLessThan(3_000_000);
	});

	it('has the beginning of a text that is too long for it', async () => {
		const { log, text } = slowLog();
		log.say(`begun ${'x'.repeat(10_000_000)}\n`);
		log.say('next\n');
		await log.settle();
		expect(text()).toMatch(/^begun x+\n\[… \d+ characters left out …\]\nnext\n$/);
		expect(text().length).toBeLessThan(2_000_000);
	});

	it('goes on after what the disk did not take', async () => {
		const appends: string[] = [];
		let isFull = true;
		const log = new LogWriter(text => {
			if (isFull) return Promise.reject(new Error('ENOSPC'));
			appends.push(text);
			return Promise.resolve();
		});
		log.say('lost\n');
		await log.settle();
		isFull = false;
		log.say('kept\n');
		await log.settle();
		expect(appends).toEqual(['kept\n']);
	});

	it('has no private key in it, also where that comes line by line, and goes on after it', async () => {
		const { log, text } = slowLog();
		const body = Array.from({ length: 20 }, (_, index) => `MIIEpAIBAAKCAQEA${index}`);
		const key = ['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----'];
		for (const line of ['before', ...key, 'between', ...key, 'after']) {
			log.say(`${line}\n`);
			await sleep(1);
		}
		log.say(`${key.join('\n')}\nwhole\n`);
		await log.settle();
		expect(text()).not.toContain('MII');
		for (const word of ['before', 'between', 'after', 'whole']) expect(text()).toContain(`${word}\n`);
	});

	it('goes on some time after a key that does not end', async () => {
		const { log, text } = slowLog();
		log.say('grep: -----BEGIN PRIVATE KEY-----\n');
		for (let index = 0; index < 1000; index++) log.say(`this is line ${index} of something else\n`);
		await log.settle();
		expect(text()).toMatch(/^grep: \[redacted\]\n/);
		expect(text()).toContain('line 999 of');
	});
});
