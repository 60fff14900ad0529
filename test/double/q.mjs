// A double of Amazon Q CLI 1.19.7, which cannot be installed here. It runs hooks and prints as the source and documents of the program say
// (docs/agents/amazon-q.md), and plays the steps of a prompt: [[sh:…]] calls a tool, [[text:…]] says something. What its model would read
// stands in ~/requests.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

if (process.argv[2] === '--version') {
	console.log('q 1.19.7');
	process.exit(0);
}
const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		agent: { type: 'string' },
		model: { type: 'string' },
		wrap: { type: 'string' },
		'no-interactive': { type: 'boolean', default: false },
		'trust-tools': { type: 'string' },
		'trust-all-tools': { type: 'boolean', default: false },
	},
});
const isAlone = values['no-interactive'];
const trusted = new Set((values['trust-tools'] ?? '').split(','));

const agentFile = join('.amazonq', 'cli-agents', `${values.agent}.json`);
const isKnown = values.agent !== undefined && existsSync(agentFile);
if (values.agent !== undefined && !isKnown)
	console.error(`Error: no agent with name ${values.agent} found. Falling back to user specified default`);
const agent = isKnown ? JSON.parse(readFileSync(agentFile, 'utf8')) : { name: 'q_cli_default', hooks: {} };

const read = words => appendFileSync(join(homedir(), 'requests'), `${JSON.stringify(words)}\n`);

/** As bash runs it, with the payload in the order of its keys. Output is that of the end: standard output, or the error's. */
function run(command, env, input) {
	return new Promise(resolve => {
		const child = spawn('bash', ['-c', command], { env: { ...process.env, ...env }, stdio: 'pipe' });
		running = child;
		const said = { stdout: '', stderr: '' };
		for (const name of ['stdout', 'stderr']) child[name].on('data', text => (said[name] += text));
		child.on('close', code => resolve({ code, output: code === 0 ? said.stdout : said.stderr }));
		child.stdin.on('error', () => undefined).end(input);
	});
}
let running;
let isInterrupted = false;

const spawned = new Set();
async function hooks(name, more = {}) {
	const outputs = [];
	for (const { command, max_output_size: most = 10 * 1024 } of agent.hooks[name] ?? []) {
		if (spawned.has(command)) continue;
		const payload = JSON.stringify({ cwd: process.cwd(), hook_event_name: name, ...more });
		const { code, output } = await run(
			command,
			more.prompt === undefined ? {} : { USER_PROMPT: more.prompt },
			payload,
		);
		if (code !== 0)
			process.stderr.write(
				`\x1b[31m✗ \x1b[0m${name} "${command}"\x1b[31m failed with exit code: ${code}, stderr: ${output.trimEnd()})\n\x1b[0m`,
			);
		else if (name === 'agentSpawn') spawned.add(command);
		outputs.push({ code, output: output.length > most ? `${output.slice(0, most)} ... truncated` : output });
	}
	return outputs;
}
const printedBy = outputs =>
	outputs
		.filter(({ code }) => code === 0)
		.map(({ output }) => output)
		.join('');

async function turn(prompt) {
	isInterrupted = false;
	await hooks('agentSpawn', { prompt });
	read({ prompt, context: printedBy(await hooks('userPromptSubmit', { prompt })) });
	for (const [, verb, what] of prompt.matchAll(/\[\[(\w+):([^\]]*)\]\]/g)) {
		// \n is a line's end, and { } are brackets.
		const words = what.replaceAll('\\n', '\n').replaceAll('{', '[').replaceAll('}', ']');
		if (verb === 'text') process.stdout.write(`\x1b[38;5;10m> \x1b[39m${words}\n`);
		if (verb === 'sh') read({ result: await tool(what) });
		if (isInterrupted) return;
	}
	await hooks('stop');
}

async function tool(command) {
	const call = { tool_input: { command, summary: 'A step' }, tool_name: 'execute_bash' };
	process.stderr.write(`🛠️  Using tool: execute_bash\n ● I will run the following shell command: ${command}\n`);
	const denial = (await hooks('preToolUse', call)).find(({ code }) => code === 2);
	if (denial) return `PreToolHook blocked the tool execution: ${denial.output}`;
	if (!values['trust-all-tools'] && !trusted.has('execute_bash')) {
		if (isAlone) {
			console.error(
				'error: Tool approval required but --no-interactive was specified. Use --trust-all-tools to automatically approve tools.',
			);
			process.exit(1);
		}
		process.stderr.write(
			"\nAllow this action? Use 't' to trust (always allow) this tool for the session. [y/n/t]:\n\n",
		);
		const answer = await prompted();
		if (answer === 't') trusted.add('execute_bash');
		if (answer === 'n') return 'I deny this tool request. Ask a follow up question clarifying the expected action';
		if (!['y', 't'].includes(answer)) return answer;
	}
	const execution = { AWS_EXECUTION_ENV: 'AmazonQ-For-CLI Version/1.19.7' };
	const { code, output } = await run(command, execution, '');
	process.stderr.write(' ● Completed in 0.1s\n');
	const result = [JSON.stringify({ exit_status: String(code), stdout: output, stderr: '' })];
	await hooks('postToolUse', { ...call, tool_response: { result, success: code === 0 } });
	return result[0];
}

if (isAlone) {
	const prompt = positionals[1] ?? readFileSync(0, 'utf8').trim();
	await turn(prompt);
	process.exit(0);
}
const typed = createInterface({ input: process.stdin, output: process.stdout });
const lines = [];
let next;
typed.on('line', text => (next ? next(text) : lines.push(text)));
typed.on('close', () => process.exit(0));
typed.on('SIGINT', () => {
	isInterrupted = true;
	running?.kill();
});
function line() {
	if (lines.length > 0) return Promise.resolve(lines.shift());
	return new Promise(resolve => (next = text => ((next = undefined), resolve(text))));
}
function prompted() {
	process.stdout.write(`[${agent.name}] > `);
	return line();
}
if (positionals[1] !== undefined) await turn(positionals[1]);
for (;;) {
	const text = await prompted();
	if (text === '/quit') process.exit(0);
	if (text !== '') await turn(text);
}
