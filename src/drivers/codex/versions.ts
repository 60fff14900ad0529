import { phrase } from '../../base/phrase.ts';
import type { Version } from '../../base/version.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { floorsSince } from '../floors.ts';

/**
 * The oldest version on which every row of the table of abilities was tried. The exception is the rows of abilities that {@link floors}
 * lets begin later or never. Hooks with trust hashes are older (0.129). `--no-daemon`, `queue` and the events Interrupt and PreModelRequest
 * came later, and an unknown flag or event would fail in front of the user.
 */
export const OLDEST: Version = [0, 162, 0];

/** Where its question before a call of Nancy's tools, and its app server beside a terminal, were seen. Earlier versions were not tried. */
const NEWEST: Version = [0, 169, 0];

export const floors = floorsSince(OLDEST, {
	batchEnd: 'none',
	quietStop: 'none',
	status: 'none',
	answers: NEWEST,
	tools: NEWEST,
});

export const limits: Driver['limits'] = {
	steer: 'Codex reports no event while it waits for a command that runs in the background: a directive is read when the next tool starts or ends.',
	halt: 'A pause denies the tool call and asks the agent to end its turn; Codex has no way to end it for certain.',
	batchEnd:
		'Codex takes no message at the end of a step; a directive goes with the tool call that ends, or the next that starts.',
	quietStop: 'Feedback that keeps the agent going is shown as “Blocked by hook”.',
	wake: phrase`An agent is woken once a turn of its own has ended; one that was started or resumed without a prompt waits for its first.`,
	permissions:
		'Questions are reported. After a Yes, Codex says nothing until the command ends or goes on in the background: until then the agent is shown as waiting, but where Nancy carries answers.',
	answers:
		'Only to commands of what Nancy starts in a terminal, where you have set "nancy.agents.codex.answers", and not on Windows. Words with a No are a message. Everything else is answered in its terminal alone.',
	status: 'Codex does not tell what its sessions are doing when asked; events and its own record of the session do.',
	headless:
		'It tells tokens, but no cost. Not every command that its sandbox denies is reported: the agent is told, and says so in its answer.',
};
