import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redact, redactText } from '../../src/core/traffic/redact.ts';
import { alnum, hex, tokens } from '../support/secrets.ts';

const root = join(import.meta.dirname, '../..');

const encoded = (text: string) => Buffer.from(text).toString('base64');

describe('a token', () => {
	it.each(Object.entries(tokens))('of %s is taken out, wherever it stands', (_vendor, token) => {
		const places = [
			token,
			`The token is ${token} for now.`,
			`export THING=${token}`,
			`Thing: ${token}`,
			`{"thing":"${token}","next":1}`,
			JSON.stringify({ output: `line\n${token}\nline` }),
			JSON.stringify(JSON.stringify({ output: `line\n${token}\nline` })),
			`curl -H 'X-Thing: ${token}' https://host.example/x`,
			`\u001b[32m${token}\u001b[0m`,
			`<thing>${token}</thing>`,
		];
		for (const text of places) expect(redactText(text), text).not.toContain(token.slice(-16));
		for (const text of places) expect(redactText(text)).toContain('[redacted]');
	});
});

const S = alnum(24);
const P = 'hunter2horse';

/** Where a secret of any form is told by what stands around it. What must be gone, then texts that hold it. */
const forms: Readonly<Record<string, readonly [gone: string, ...texts: readonly string[]]>> = {
	'Authorization with a scheme': [
		S,
		`Authorization: token ${S}`,
		`curl -H "Authorization: token ${S}" https://api.example`,
		`{"Authorization":"Token ${S}"}`,
		`Authorization: ApiKey ${S}`,
		`Authorization: Bot ${S}`,
		`Proxy-Authorization: Digest ${S}`,
		`'Authorization': 'GenieKey ${S}'`,
		`Authorization: ${S}`,
		`AUTHORIZATION=Bearer ${S}`,
	],
	'headers with keys': [
		S,
		`X-Api-Key: ${S}`,
		`x-auth-token: ${S}`,
		`PRIVATE-TOKEN: ${S}`,
		`X-Vault-Token: ${S}`,
		`Ocp-Apim-Subscription-Key: ${S}`,
		`{"X-API-KEY": "${S}"}`,
		`api-key: ${S}`,
		`apikey: ${S}`,
	],
	cookies: [
		S,
		`Cookie: sid=${S}; theme=dark`,
		`cookie: theme=dark; session=${S}`,
		`Set-Cookie: sid=${S}; Path=/; HttpOnly`,
		`set-cookie: connect.sid=s%3A${S}; Path=/`,
		`{"cookie":"sid=${S}"}`,
		`{"set-cookie":["sid=${S}; Path=/"]}`,
		`curl -b 'sid=${S}' https://host.example`,
		`curl --cookie sid=${S} https://host.example`,
	],
	'addresses with a token for a user': [
		S,
		`git clone https://${S}@github.com/o/r.git`,
		`https://${S}@host.example/path`,
		`https://${S}:x-oauth-basic@github.com/o/r`,
		`"url": "https://oauth2:${S}@gitlab.com/o/r.git"`,
	],
	'addresses with a password': [
		P,
		`postgres://me:${P}@db.example/app`,
		`DATABASE_URL=mysql://root:${P}@localhost:3306/app`,
		`amqp://guest:${P}@mq`,
		`mongodb+srv://me:${P}@c0.example.net/x`,
		`redis://:${P}@host:6379/0`,
	],
	'addresses with a key behind the question mark': [
		S,
		`https://maps.example/api?key=${S}`,
		`https://maps.example/api?q=x&key=${S}&z=1`,
		`?api_key=${S}`,
		`?apikey=${S}`,
		`?access_token=${S}`,
		`?auth=${S}`,
		`?code=${S}`,
		`&amp;key=${S}`,
		`https://x.example/hook?sig=${S}`,
		`https://s3.example/o?X-Amz-Signature=${S}&x=1`,
	],
	'Azure signatures': [
		'Ab3%2FdEfGhIjKlMnOpQrStUvWxYz0123456789abc',
		'https://a.blob.core.windows.net/c/b?sv=2024-01-01&sr=b&sig=Ab3%2FdEfGhIjKlMnOpQrStUvWxYz0123456789abc%3D&se=2026',
		'SharedAccessSignature=sv=2024-01-01&sig=Ab3%2FdEfGhIjKlMnOpQrStUvWxYz0123456789abc%3D',
	],
	'Azure keys': [
		S,
		`AccountName=me;AccountKey=${S}${S}==;EndpointSuffix=x`,
		`Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=${S}${S}=`,
	],
	'names in the environment': [
		S,
		`SECRET_KEY_BASE=${S}`,
		`SECRET_KEY=${S}`,
		`export SECRET_KEY_BASE="${S}"`,
		`DJANGO_SECRET_KEY='${S}'`,
		`AWS_SECRET_ACCESS_KEY=${S}`,
		`aws_secret_access_key = ${S}`,
		`APP_ENCRYPTION_KEY=${S}`,
		`SIGNING_KEY: ${S}`,
		`RAILS_MASTER_KEY=${S}`,
		`DB_PASSWORD_PROD=${S}`,
		`TOKEN2=${S}`,
		`set API_KEY=${S}`,
		`$env:API_TOKEN = "${S}"`,
		`-e POSTGRES_PASSWORD=${S}`,
		`ENV NPM_TOKEN ${S}`,
		`CONFIG_AUTH_KEY="${S}"`,
	],
	'a name, and its value beside it': [
		S,
		`- name: DB_PASSWORD\n  value: ${S}`,
		`{"name":"DB_PASSWORD","value":"${S}"}`,
		`{"name": "API_TOKEN",\n "value": "${S}"}`,
		`<add key="ApiKey" value="${S}" />`,
		`<password>${S}</password>`,
		`<ns:secretKey>${S}</ns:secretKey>`,
	],
	'.netrc': [
		P,
		`machine api.example login me password ${P}`,
		`machine api.example\n  login me\n  password ${P}\n`,
		`machine api.example password ${P}`,
		`default login me password ${P}`,
	],
	'.pgpass': [P, `localhost:5432:app:me:${P}`, `x\n*:*:*:me:${P}\ny`, `db.example:5432:*:me:${P}`],
	'.pgpass that a command writes': [
		P,
		`echo 'localhost:5432:app:me:${P}' >> ~/.pgpass`,
		`printf "*:*:*:me:${P}\\n" > .pgpass`,
		`the line localhost:5432:app:me:${P} is in it`,
		String.raw`{"content":"x\ndb.example:5432:app:me:${P}\n"}`,
	],
	'hash of a password': [
		alnum(22),
		`me:$apr1$${alnum(8)}$${alnum(22)}`,
		`root:$6$rounds=5000$${alnum(16)}$${alnum(86)}:19000:0:99999:7:::`,
		`root:$y$j9T$${alnum(22)}$${alnum(43)}:1::`,
		`x $2y$10$${alnum(53)} y`,
		String.raw`"\$1\$${alnum(8)}\$${alnum(22)}"`,
		`$argon2id$v=19$m=65536,t=3,p=4$${alnum(22)}$${alnum(43)}`,
	],
	'.npmrc': [S, `//registry.example/:_authToken=${S}`, `_auth=${encoded(`me:${S}`)}`, `//r.example/:_password=${S}`],
	'docker config': [
		encoded(`me:${P}`).slice(0, 12),
		`{"auths":{"https://index.docker.io/v1/":{"auth":"${encoded(`me:${P}`)}"}}}`,
		`"auth": "${encoded(`me:${P}`)}"`,
		String.raw`{\"auth\":\"${encoded(`me:${P}`)}\"}`,
	],
	'docker login': [
		P,
		`docker login -u me -p ${P} registry.example`,
		`docker login -p ${P} -u me`,
		`docker login -p=${P}`,
		`docker login --username me --password ${P}`,
		`podman login -u me -p '${P}' quay.io`,
		`helm registry login -u me -p ${P} r.example`,
	],
	'other command lines': [
		P,
		`redis-cli -h host -a ${P} ping`,
		`mysql -u root -p${P} app`,
		`mysqldump --password=${P} app`,
		`mongosh -u me -p ${P} db`,
		`sqlcmd -S host -U sa -P ${P} -Q x`,
		`ldapsearch -D cn=me -w ${P} -b dc=x`,
		`smbclient //host/share -U me%${P}`,
		`sshpass -p ${P} ssh host`,
		`curl -u me:${P} https://host.example`,
		`wget --user me --password ${P} https://host.example`,
		`aws configure set aws_secret_access_key ${P}`,
		`openssl enc -k ${P} -in x`,
		`zip -P ${P} x.zip x`,
		`htpasswd -b file me ${P}`,
		`CREATE USER me WITH PASSWORD '${P}';`,
		`CREATE USER 'me'@'%' IDENTIFIED BY '${P}';`,
	],
	kubeconfig: [
		encoded(P).slice(0, 12),
		`users:\n- name: me\n  user:\n    client-key-data: ${encoded(`${P}${P}`)}`,
		`{"client-key-data":"${encoded(`${P}${P}`)}"}`,
	],
	'Kubernetes secrets': [
		encoded(P),
		`apiVersion: v1\nkind: Secret\ndata:\n  user: ${encoded(P)}\n`,
		`apiVersion: v1\ndata:\n  conn: ${encoded(P)}\n  other: eA==\nkind: Secret\nmetadata:\n  name: x\n`,
		`kind: Secret\nstringData:\n  conn: "${encoded(P)}"\n`,
		`{"apiVersion":"v1","data":{"conn":"${encoded(P)}"},"kind":"Secret"}`,
		`{\n  "kind": "Secret",\n  "data": {\n    "conn": "${encoded(P)}"\n  }\n}`,
	],
	'passwords with a space': [
		'horse',
		'password: correct horse battery staple',
		'db:\n  password: correct horse battery staple\n  user: me',
		'password = correct horse battery staple',
		'DB_PASSWORD="correct horse battery staple"',
		"passphrase: 'correct horse battery staple'",
		String.raw`PASSWORD=correct\ horse\ battery make`,
		'{"password":"correct horse battery staple"}',
		'<password>correct horse battery staple</password>',
		'--password "correct horse battery staple"',
	],
	'addresses that are secrets': [
		S,
		`https://hooks.slack.com/services/T0AB/B0CD/${S}`,
		`https://discord.com/api/webhooks/123456789012345678/${S}${S}${S}`,
		`https://discordapp.com/api/webhooks/123456789012345678/${S}${S}${S}`,
		`https://x.webhook.office.com/webhookb2/${hex(8)}-${hex(4)}/IncomingWebhook/${S}/${hex(8)}`,
		`https://api.telegram.org/bot5123456789:AA${S}${alnum(9)}/sendMessage`,
	],
	'a short key of a bot': [
		'hunter2',
		'https://api.telegram.org/bot1234567:hunter2/getMe',
		'https://api.telegram.org/file/bot1234567:hunter2/a.png',
		String.raw`"https:\/\/api.telegram.org\/bot1234567:hunter2\/getMe"`,
		'https://api.telegram.org/bot1234567%3Ahunter2/getMe',
	],
	'an old token of GitHub': [hex(40), `token ${hex(40)}`, `the Token ${hex(40)}.`, `"token ${hex(40)}"`],
	'a short secret behind its scheme': [
		'hunter2',
		'Authorization: token hunter2',
		`curl -H 'authorization: Basic hunter2' https://h.example`,
		'"Authorization": "Bearer hunter2"',
	],
	'a login of Docker that is no base64': [
		'hunter2',
		'{"auths":{"https://index.docker.io/v1/":{"auth":"hunter2"}}}',
		String.raw`{\"auths\":{\"r.example\":{\"auth\":\"me:hunter2\"}}}`,
		'{\n\t"auths": {\n\t\t"r.example": {\n\t\t\t"auth": "hunter2"\n',
	],
	'a session and a variable': [S, `Cookie was sessionid=${S}`, `setx API_KEY ${S}`, `setx MY_TOKEN "${S}"`],
	'private keys': [
		S,
		`-----BEGIN OPENSSH PRIVATE KEY-----\n${S}\n-----END OPENSSH PRIVATE KEY-----`,
		`-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${S}\n-----END PGP PRIVATE KEY BLOCK-----`,
		`-----BEGIN ENCRYPTED PRIVATE KEY-----\\n${S}\\n-----END ENCRYPTED PRIVATE KEY-----`,
		`PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n${S}\nPrivate-MAC: ${hex(64)}\n`,
		`PuTTY-User-Key-File-2: ssh-rsa\r\nPrivate-Lines: 2\r\n${alnum(64)}\r\n${S}\r\nPrivate-MAC: ${hex(40)}\r\n`,
		`{"private_key":"-----BEGIN PRIVATE KEY-----\\n${S}\\n-----END PRIVATE KEY-----\\n"}`,
	],
};

describe('what is told by its surroundings', () => {
	const cases = Object.entries(forms).flatMap(([name, [gone, ...texts]]) =>
		texts.map(text => [name, text, gone] as const),
	);

	it.each(cases)('%s: %j', (_name, text, gone) => {
		expect(redactText(text)).not.toContain(gone);
		expect(redactText(text)).toContain('[redacted]');
		expect(redactText(redactText(text))).toBe(redactText(text));
	});

	it('is taken out in the parts of a value too', () => {
		const value = {
			'Set-Cookie': `sid=${S}`,
			headers: { authorization: `token ${S}` },
			auths: { r: { auth: encoded(`me:${S}`) }, plain: { auth: P, identitytoken: P } },
			'client-key-data': encoded(S),
			kind: 'Secret',
			data: { conn: encoded(S) },
		};
		const stored = JSON.stringify(redact(value));
		expect(stored).not.toContain(S);
		expect(stored).not.toContain(P);
		expect(stored).not.toContain(encoded(S).slice(0, 20));
		expect(stored).not.toContain(encoded(`me:${S}`));
	});
});

/** Lines with nothing secret in them: how many were touched. */
function touched(texts: readonly string[]): { lines: number; touched: string[] } {
	const lines = texts.flatMap(text => text.split('\n'));
	return { lines: lines.length, touched: lines.filter(line => redactText(line) !== line) };
}
const read = (pattern: string, exclude: readonly string[] = []) =>
	globSync(pattern, { cwd: root, exclude: [...exclude] }).map(file => readFileSync(join(root, file), 'utf8'));
const many = (count: number, line: (at: number) => string) => [
	Array.from({ length: count }, (_, at) => line(at)).join('\n'),
];
const digest = (algorithm: string, at: number) => createHash(algorithm).update(String(at));
const uuid = (at: number) =>
	digest('md5', at)
		.digest('hex')
		.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');

/** What work is full of, and nothing secret. */
const harmless: Readonly<Record<string, () => readonly string[]>> = {
	'the lock file': () => read('package-lock.json'),
	'Nancy’s own source': () => read('src/**/*.ts'),
	'Nancy’s own pages': () => read('{README,CHANGELOG,CONTRIBUTING,docs/**/*}.md'),
	'code of others': () =>
		read('node_modules/{zod,semver,mocha,marked,jsonc-parser}/**/*.{js,cjs,d.ts}').slice(0, 100),
	'minified code': () =>
		read('node_modules/**/*.min.js')
			.slice(0, 8)
			.map(text => text.replaceAll(';', ';\n')),
	'hashes of git': () => many(5000, at => `${digest('sha1', at).digest('hex')} refs/heads/topic-${at}`),
	'sums of files': () => many(5000, at => `${digest('sha256', at).digest('hex')}  dist/file-${at}.js`),
	'integrity of packages': () => many(5000, at => `  integrity sha512-${digest('sha512', at).digest('base64')}`),
	UUIDs: () =>
		many(5000, at => `{"id":"${uuid(at)}","request_id":"req_${digest('md5', at).digest('hex').slice(0, 24)}"}`),
	'data in base64': () =>
		many(5000, at => (digest('sha512', at).digest('base64') + digest('md5', at).digest('base64')).slice(0, 76)),
	'data in an address': () => many(2000, at => `url(data:image/png;base64,${digest('sha512', at).digest('base64')})`),
	'compiler output': () =>
		many(2000, at => `src/file${at}.ts(${at},12): error TS2304: Cannot find name 'token${at}'.`),
	'a log': () =>
		many(
			2000,
			at => `2026-11-22T12:00:00.${at}Z INFO worker-${at} GET /api/v1/items/${at}?page=2&limit=50 200 12ms`,
		),
};

describe('what is not secret', () => {
	it.each(Object.entries(harmless))('%s: at most one line of a thousand is touched', (_what, texts) => {
		const all = texts();
		expect(all.join('').length).toBeGreaterThan(10_000);
		const result = touched(all);
		expect(result.touched.length / result.lines, result.touched.slice(0, 20).join('\n')).toBeLessThanOrEqual(0.001);
	});
});
