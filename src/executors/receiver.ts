/**
 * Runs on the other machine by `node -e`, before there is a Nancy: puts Nancy's programs into a folder named by their version and hash. They
 * get that name only once they are whole, on the disk too, by whoever is first. What cannot be finished is removed: the disk may be full.
 * Whoever brings a version removes those that nobody has used for 90 days, and what was cut off a day ago. No job waits and runs so long.
 */
export const RECEIVER = `
const fs = require('node:fs'), path = require('node:path'), os = require('node:os');
const say = value => console.log('NANCY ' + JSON.stringify(value));
try {
	if (Number(process.versions.node.split('.')[0]) < 20) throw new Error('Node 20 or newer is needed, and this is ' + process.version);
	const { version, files } = JSON.parse(fs.readFileSync(0, 'utf8'));
	const all = path.join(os.homedir(), '.nancy-remote', 'nancy', 'runtime');
	const folder = path.join(all, version), now = Date.now(), DAY = 24 * 3600 * 1000;
	if (files.length > 0 && !fs.existsSync(folder)) {
		const temp = folder + '.new-' + process.pid;
		try {
			fs.mkdirSync(temp, { recursive: true, mode: 0o700 });
			for (const { name, base64, isProgram } of files) {
				const file = path.join(temp, name);
				fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
				const handle = fs.openSync(file, 'w', isProgram ? 0o700 : 0o600);
				fs.writeFileSync(handle, Buffer.from(base64, 'base64'));
				fs.fsyncSync(handle);
				fs.closeSync(handle);
			}
			fs.renameSync(temp, folder);
		} catch (error) {
			fs.rmSync(temp, { recursive: true, force: true });
			if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
		}
		for (const name of fs.readdirSync(all)) {
			try {
				const other = path.join(all, name), age = now - fs.statSync(other).mtimeMs;
				if (age > (name.includes('.new-') ? 1 : 90) * DAY) fs.rmSync(other, { recursive: true });
			} catch {}
		}
	}
	if (fs.existsSync(folder)) fs.utimesSync(folder, now / 1000, now / 1000);
	say({ node: process.version, isThere: fs.existsSync(folder) });
} catch (error) {
	say({ error: String(error.message) });
}
`;
