import type { Driver } from '../../src/core/driver/driver.ts';
import { DriverId } from '../../src/protocol/names.ts';
import { fakeDriver } from './fakeDriver.ts';

/** A settings file that two of these drivers edit. */
export const SHARED = '.tool/settings.json';

/** A driver of no real CLI, with every kind of thing to deploy. */
export function ownFilesDriver(name: string): Driver {
	return {
		...fakeDriver,
		id: DriverId.parse(name),
		displayName: name,
		skillsFolder: '.agents/skills',
		deployment: ({ launcher, scope }) => {
			const line = (event: string) =>
				`[ -x '${launcher}' ] && X="$Y" '${launcher}' ${name} ${event} report; exit 0`;
			return {
				edits:
					scope === 'launch'
						? []
						: [
								{
									file: SHARED,
									entries: ['Start', 'Stop'].map(event => ({
										path: ['hooks', event],
										value: { hooks: [{ command: line(event) }] },
									})),
								},
							],
				files:
					scope === 'launch'
						? []
						: [{ file: `.${name}/plugin/nancy.js`, content: `spawn(${JSON.stringify(launcher)})\n` }],
				launchFiles: [
					{ file: 'hooks.json', content: JSON.stringify({ hooks: [line('Start')] }) },
					{ file: 'more/policy.toml', content: `command = "${launcher}"\n` },
				],
				events: ['Start', 'Stop'],
				warnings: scope === 'launch' ? [] : ['Trust the folder.'],
			};
		},
	};
}
