import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAYLOAD_LIMIT, storablePayload, storableText } from '../../../../src/core/traffic/cutPayload.ts';
import { REDACTED } from '../../../../src/core/traffic/namedSecrets.ts';
import { redact, redactText } from '../../../../src/core/traffic/redact.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const letters = (count: number) => 'aB3dE5gH7jK9'.repeat(10).slice(0, count);
const secrets = {
	model: `sk-ant-api03-${letters(40)}`,
	github: `ghp_${letters(36)}`,
	aws: `AKIA${'ABCDEFGH12345678'}`,
	jwt: `eyJ${letters(20)}.eyJ${letters(30)}.${letters(20)}`,
	slack: `xoxb-${letters(24)}`,
	slackApp: `xapp-1-A0B1C2D3-123456789012-${letters(24)}`,
	huggingFace: `hf_${letters(34)}`,
	google: `ya29.a0${letters(60)}`,
	sendGrid: `SG.${letters(22)}.${letters(43)}`,
	digitalOcean: `dop_v1_${'0a1b2c3d'.repeat(8)}`,
};

describe('redactText', () => {
	it.each(Object.entries(secrets))('takes out a secret by its form (%s)', (_name, secret) => {
		for (const text of [secret, `before ${secret} after`, `"${secret}"`, `curl -H 'X: ${secret}'`, `(${secret})`]) {
			expect(redactText(text)).not.toContain(secret.slice(8));
			expect(redactText(text)).toContain(REDACTED);
		}
	});

	it.each([
		['Authorization: Bearer abcdef123456', `Authorization: Bearer ${REDACTED}`],
		['password=hunter2', `password=${REDACTED}`],
		['MY_API_KEY=abc123 make', `MY_API_KEY=${REDACTED} make`],
		['export GITHUB_TOKEN="abc123"', `export GITHUB_TOKEN="${REDACTED}"`],
		['{"client_secret": "abc123"}', `{"client_secret": "${REDACTED}"}`],
		[String.raw`{\"db_password\": \"abc123\"}`, String.raw`{\"db_password\": \"${REDACTED}\"}`],
		['redis://:abc123@host:6379/0', `redis://:${REDACTED}@host:6379/0`],
		['https://me:abc123@host/x', `https://me:${REDACTED}@host/x`],
		['https://me:abc@123@host/x?to=a@b', `https://me:${REDACTED}@host/x?to=a@b`],
		[
			`AccountName=me;AccountKey=${letters(86)}==;EndpointSuffix=x`,
			`AccountName=me;AccountKey=${REDACTED};EndpointSuffix=x`,
		],
		[
			`curl https://hooks.slack.com/services/T0AB/B0CD/${letters(24)} -d x`,
			`curl https://hooks.slack.com/services/${REDACTED} -d x`,
		],
		[
			String.raw`"{\"url\":\"https:\/\/hooks.slack.com\/services\/T0AB\/B0CD\/abcdefgh\"}"`,
			String.raw`"{\"url\":\"https:\/\/hooks.slack.com\/services\/${REDACTED}\"}"`,
		],
		[`-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- x`, `${REDACTED} x`],
		['-----BEGIN PRIVATE KEY-----\nabc cut off', REDACTED],
		['mysqldump --password hunter2secret db', `mysqldump --password ${REDACTED} db`],
		['vault --db-token "a b c" x', `vault --db-token "${REDACTED}" x`],
		['["--api-key", "a b c"]', `["--api-key", "${REDACTED}"]`],
		['curl -u admin:secret https://host', `curl -u admin:${REDACTED} https://host`],
		['curl -s -uadmin:secret https://host', `curl -s -uadmin:${REDACTED} https://host`],
		[`curl --user 'admin:sec ret' x`, `curl --user 'admin:${REDACTED}' x`],
		['sshpass -p secret ssh host', `sshpass -p ${REDACTED} ssh host`],
		['mysql -h host -psecret db', `mysql -h host -p${REDACTED} db`],
		['DB_PASS=secret make', `DB_PASS=${REDACTED} make`],
		['MYSQL_PWD=secret make', `MYSQL_PWD=${REDACTED} make`],
		['openssl enc -passin pass:secret x', `openssl enc -passin pass:${REDACTED} x`],
		['password: "p(ssword1"', `password: "${REDACTED}"`],
		['password: p(ssword1 x', `password: ${REDACTED}`],
		['PASSWORD="hun&ter2secret" make', `PASSWORD="${REDACTED}" make`],
		['PASSWORD="hun\\"ter2secret" make', `PASSWORD="${REDACTED}" make`],
		['PASSWORD=hun\\&ter2secret make', `PASSWORD=${REDACTED} make`],
		[`TOKEN='abc def ghi' make`, `TOKEN='${REDACTED}' make`],
		[`TOKEN='abc'"'"'def ghi' make`, `TOKEN='${REDACTED}' make`],
		['TOKEN="one\ntwo" make', `TOKEN="${REDACTED}" make`],
		['TOKEN="one two', `TOKEN="${REDACTED}`],
		[`curl -d '{"passphrase": "one two three"}' x`, `curl -d '{"passphrase": "${REDACTED}"}' x`],
		[
			String.raw`curl -d "{\"passphrase\": \"one \\\"two\\\" three\"}" x`,
			String.raw`curl -d "{\"passphrase\": \"${REDACTED}\"}" x`,
		],
		[`'password' => 'one two'`, `'password' => '${REDACTED}'`],
	])('takes out %j', (text, expected) => expect(redactText(text)).toBe(expected));

	it.each([
		'echo hi',
		'see https://hooks.slack.com/docs and mail me@host',
		'SG.length and hf_token_of_mine',
		'task-runner-with-a-long-name-indeed',
		'npm test',
		'the token is missing',
		'src/core/secret.ts',
		'pass the salt',
		'the tests pass: 12 of 12',
		'ftp --passive host',
		'--max_tokens 4000',
		'{"max_tokens": 4000, "pass": true}',
		'compass=north bypass=always',
		'PWD=/home/me OLDPWD=/home/you',
		'login --password-stdin <file',
		'use --token to log in',
		'docker run -u 1000:1000 image',
		'sort -u a b; date -u +%H:%M',
		'open -u https://host/x',
		'PASSWORD=$(cat file) make',
	])('leaves %j alone', text => expect(redactText(text)).toBe(text));
});

describe('redact', () => {
	it('takes out the argument after the flag that names it', () => {
		expect(redact(['login', '--password', 'hunter2', '--verbose', 'x', '--passive', 'y'])).toEqual([
			'login',
			'--password',
			REDACTED,
			'--verbose',
			'x',
			'--passive',
			'y',
		]);
	});

	it('takes out what stands under a secret name, and nothing else', () => {
		expect(
			redact({
				apiKey: 'x',
				headers: { Authorization: 'x' },
				max_tokens: 5,
				tokens: ['x'],
				tool_use_id: 'toolu_1',
				key: 'v',
			}),
		).toEqual({
			apiKey: REDACTED,
			headers: { Authorization: REDACTED },
			max_tokens: 5,
			tokens: [REDACTED],
			tool_use_id: 'toolu_1',
			key: 'v',
		});
	});

	it('keeps the shape of any JSON value and never throws', () => {
		fc.assert(
			fc.property(fc.jsonValue(), value => {
				expect(shape(redact(value))).toEqual(shape(value));
			}),
			{ numRuns: 1000 },
		);
	});

	it('ends on a value nested deeper than any stack', () => {
		let deep: unknown = 'end';
		for (let i = 0; i < 100_000; i++) deep = [deep];
		expect(() => redact(deep)).not.toThrow();
		expect(() => storablePayload(deep)).not.toThrow();
	});

	it('takes it out of a sentence that an answer stands below', () => {
		const [secret = ''] = Object.values(secrets);
		expect(JSON.stringify(redact({ answers: { [`Is ${secret} yours?`]: 'yes' } }))).not.toContain(secret.slice(8));
	});

	it('finds a secret wherever it is in a value', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom(...Object.values(secrets)), (value, secret) => {
				expect(JSON.stringify(redact({ value, list: [{ text: `x ${secret} y` }] }))).not.toContain(
					secret.slice(8),
				);
			}),
		);
	});
});

describe('storablePayload', () => {
	it('keeps a small payload as it is', () => {
		const payload = { tool_name: 'Bash', tool_input: { command: 'echo hi' }, list: [1, null, true] };
		expect(storablePayload(payload)).toEqual(payload);
	});

	it('cuts a payload of 5 MB, with a mark, and keeps what is short', () => {
		const payload = {
			tool_name: 'Write',
			tool_input: { content: 'x'.repeat(5_000_000) },
			rows: Array(50_000).fill('row'),
		};
		const stored = storablePayload(payload);
		expect(JSON.stringify(stored).length).toBeLessThanOrEqual(PAYLOAD_LIMIT);
		expect(stored).toMatchObject({
			tool_name: 'Write',
			tool_input: { content: expect.stringMatching(/^x+… \[cut\]$/) },
		});
	});

	it('stays below the limit for any value', () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 200, max: 2000 }), (value, limit) => {
				expect(
					JSON.stringify(storablePayload({ a: value, b: Array(300).fill(value) }, limit)).length,
				).toBeLessThanOrEqual(limit);
			}),
		);
	});

	it('takes out a secret that lies across a cut', () => {
		expect(storableText(`${'x'.repeat(95)} ${secrets.model}`, 100)).toBe(`${'x'.repeat(95)} [red… [cut]`);
	});
});

function shape(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(shape);
	if (typeof value === 'object' && value !== null)
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]));
	return value === null ? null : typeof value;
}
