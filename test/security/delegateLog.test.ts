import { afterAll, expect, it } from 'vitest';
import { RunnerRoom } from '../support/runnerRoom.ts';

const room = new RunnerRoom();
afterAll(() => room[Symbol.asyncDispose]());

it('a delegate’s log holds no sequence that a terminal obeys when somebody reads it there', async () => {
	const { run, logOf } = room;
	expect(logOf(await run('escape answer:done'))).toBe('— fake-1 —\nsay\\x1b]0;title\\x07\n');
});
