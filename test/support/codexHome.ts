import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, type AgentHome, type AgentHomeOptions } from './agentHome.ts';
import { pinnedAgent } from './pinnedAgent.ts';
import { toml } from './toml.ts';

/**
 * Codex with the double as a model provider of the user's own. `settings` replace top-level keys of ~/.codex/config.toml.
 * It asks only before a command that the model wants to run outside its sandbox: `[[esc:command]]`.
 */
export function codexHome({ home, trusted, modelUrl, settings = {}, installed }: AgentHomeOptions): AgentHome {
	const { version, executable } = installed ?? pinnedAgent('codex');
	const own = join(home, '.codex');
	mkdirSync(own, { recursive: true });
	const config = {
		model: 'double',
		model_provider: 'double',
		model_providers: {
			double: {
				name: 'The model double',
				base_url: `${modelUrl}/v1`,
				wire_api: 'responses',
				env_key: 'MODEL_DOUBLE_KEY',
				request_max_retries: 2,
				stream_max_retries: 2,
			},
		},
		projects: Object.fromEntries(trusted.map(each => [realpathSync(each), { trust_level: 'trusted' }])),
		check_for_update_on_startup: false,
		analytics: { enabled: false },
		// The daemon of the terminal UI outlives it, and copies 400 MB into each home.
		features: { daemon_auto_start: false, apps: false, plugins: false },
		...settings,
	};
	writeFileSync(join(own, 'config.toml'), toml(config));
	return {
		agent: 'codex',
		version,
		command: executable,
		home,
		env: {
			...bareEnvironment(home),
			CODEX_HOME: own,
			MODEL_DOUBLE_KEY: 'key-of-the-model-double',
			// Its terminal UI fetches an announcement, which no setting stops: refused here, before a name is looked up.
			HTTPS_PROXY: 'http://127.0.0.1:9',
		},
		headless: prompt => ['exec', '--skip-git-repo-check', prompt],
		unattended: ['--dangerously-bypass-approvals-and-sandbox'],
		interactive: ['--no-daemon'],
		ready: /Ask Codex to do anything/,
	};
}
