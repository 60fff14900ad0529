import { phrase } from '../../src/base/phrase.ts';
import type { HeadlessEvent, HeadlessFormat } from '../../src/core/driver/headless.ts';
import { DriverId, SessionId } from '../../src/protocol/names.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import { fakeDriver } from './fakeDriver.ts';

/** Reads what test/fixtures/children/fakeAgent.mjs prints: one event in each line. */
const format: HeadlessFormat = {
	permissionModes: [{ id: 'default', label: phrase`Default`, detail: phrase``, width: 0 }],
	settingsFrom: 'none',
	homeFolders: 'none',
	beside: '',
	launch: ({ session, resume, prompt }) => ({
		args: [new URL('../fixtures/children/fakeAgent.mjs', import.meta.url).pathname, resume ?? session],
		stdin: prompt,
		env: {},
		sessionIsKnown: true,
	}),
	reader: () => ({ read, end: () => [] }),
};

function read(line: string): HeadlessEvent[] {
	try {
		const event = JSON.parse(line) as HeadlessEvent;
		return event.is === 'session' ? [{ ...event, session: SessionId.parse(event.session) }] : [event];
	} catch {
		return [];
	}
}

export const fakeHeadlessDriver: Driver = { ...fakeDriver, headless: format };

/** Another agent that runs the same way. */
export const otherHeadlessDriver: Driver = { ...fakeHeadlessDriver, id: DriverId.parse('other'), displayName: 'Other' };

/** One whose CLI chooses the session itself, and tells of it in its first event. */
export const ownSessionDriver: Driver = {
	...fakeHeadlessDriver,
	id: DriverId.parse('own-session'),
	headless: { ...format, launch: request => ({ ...format.launch(request), sessionIsKnown: false }) },
};
