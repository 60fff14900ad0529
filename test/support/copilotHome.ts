import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, type AgentHome, type AgentHomeOptions } from './agentHome.ts';
import { pinnedAgent } from './pinnedAgent.ts';

/** GitHub Copilot CLI, offline, with the double as a provider of the user's own. `settings` go to ~/.copilot/settings.json. */
export function copilotHome({ home, trusted, modelUrl, settings = {}, installed }: AgentHomeOptions): AgentHome {
	const { version, folder, executable } = installed ?? pinnedAgent('copilot');
	const own = join(home, '.copilot');
	mkdirSync(own, { recursive: true });
	// Folder trust is read from config.json alone; the same key in settings.json is ignored.
	writeFileSync(
		join(own, 'config.json'),
		JSON.stringify({
			trustedFolders: trusted.map(each => realpathSync(each)),
			firstLaunchAt: '2026-01-01T00:00:00Z',
		}),
	);
	writeFileSync(join(own, 'settings.json'), JSON.stringify(settings));
	return {
		agent: 'copilot',
		version,
		command: executable,
		home,
		env: {
			...bareEnvironment(home),
			COPILOT_OFFLINE: 'true',
			COPILOT_AUTO_UPDATE: 'false',
			COPILOT_PROVIDER_TYPE: 'anthropic',
			COPILOT_PROVIDER_BASE_URL: modelUrl,
			COPILOT_PROVIDER_API_KEY: 'key-of-the-model-double',
			COPILOT_MODEL: 'claude-sonnet-4',
			// It unpacks 235 MB at its first start; one copy does for all homes.
			COPILOT_PKG_CACHE_HOME: join(folder, 'unpacked'),
		},
		headless: prompt => ['-p', prompt, '--silent'],
		unattended: ['--allow-all-tools'],
		interactive: [],
		// After a kill it asks whether to resume, and goes on with its prompt meanwhile.
		ready: /\/ commands|Session in use/,
	};
}
