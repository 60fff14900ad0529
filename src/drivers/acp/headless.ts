import { phrase } from '../../base/phrase.ts';
import type { Driver } from '../../core/driver/driver.ts';
import type { HeadlessFormat } from '../../core/driver/headless.ts';
import { ASK_ME, refuseUnheld } from '../askMe.ts';
import { asWords, talkReader } from '../toldTalk.ts';
import { withPermissions } from './launch.ts';

/** @param launch the words with which the same agent is talked with in a terminal */
export function headlessBy(launch: Driver['launch']): HeadlessFormat {
	return {
		permissionModes: [
			{
				id: 'configured',
				label: phrase`As Configured`,
				detail: phrase`What its own settings let it do without a question, which may be everything; what it asks for is denied.`,
				width: 0,
			},
			{
				id: ASK_ME,
				label: phrase`Ask me`,
				detail: phrase`What its own settings let it do without a question, which may be everything; what it asks for waits for your answer, and is denied if its time ends first.`,
				width: 0,
				asks: true,
			},
		],
		settingsFrom: 'none',
		homeFolders: 'none',
		beside: 'What it does without a question, its own settings say: Nancy knows none of them, and denies only what it asks.',
		launch: ({ permissions, prompt, ...conversation }) => {
			refuseUnheld(permissions, conversation.hooks);
			const talk = launch({ ...conversation, fork: undefined, prompt: undefined, title: '' });
			return { ...talk, args: withPermissions(talk.args, permissions), stdin: asWords(prompt) };
		},
		reader: () => talkReader,
	};
}
