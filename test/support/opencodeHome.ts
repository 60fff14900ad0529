import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, type AgentHome, type AgentHomeOptions } from './agentHome.ts';
import { pinnedAgent } from './pinnedAgent.ts';

/**
 * opencode with the double as a provider of the user's own. `settings` replace top-level keys of
 * ~/.config/opencode/opencode.json; without `permission` there, every tool runs unasked. It trusts every folder.
 */
export function opencodeHome({ home, modelUrl, settings = {}, installed }: AgentHomeOptions): AgentHome {
	const { version, executable } = installed ?? pinnedAgent('opencode');
	const own = join(home, '.config', 'opencode');
	// It has npm install its plugin package, for the types in it, unless this folder looks as if that were done.
	mkdirSync(join(own, 'node_modules'), { recursive: true });
	const lock = { packages: { '': { dependencies: { '@opencode-ai/plugin': version } } } };
	writeFileSync(join(own, 'package-lock.json'), JSON.stringify(lock));
	const base = {
		model: 'double/double',
		small_model: 'double/double',
		provider: {
			double: {
				name: 'The model double',
				npm: '@ai-sdk/openai-compatible',
				options: { baseURL: `${modelUrl}/v1`, apiKey: 'key-of-the-model-double' },
				models: {
					double: {
						name: 'Double',
						tool_call: true,
						limit: { context: 200_000, output: 32_000 },
						// Dollars for a million tokens.
						cost: { input: 1, output: 2 },
					},
				},
			},
		},
		autoupdate: false,
		share: 'disabled',
	};
	writeFileSync(join(own, 'opencode.json'), JSON.stringify({ ...base, ...settings }));
	// In place of thousands of models that it knows, none of which a test uses: they cost a quarter of its start.
	const models = join(own, 'models.json');
	writeFileSync(models, '{}');
	return {
		agent: 'opencode',
		version,
		command: executable,
		home,
		env: {
			...bareEnvironment(home),
			OPENCODE_DISABLE_AUTOUPDATE: '1',
			OPENCODE_DISABLE_MODELS_FETCH: '1',
			OPENCODE_MODELS_PATH: models,
			OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
			// The same install in a project's .opencode folder: fails at once, and quietly.
			npm_config_offline: 'true',
		},
		headless: prompt => ['run', prompt],
		unattended: ['--auto'],
		interactive: [],
		// With a prompt of its own in the composer, there is no invitation.
		ready: /ctrl\+p commands/,
	};
}
