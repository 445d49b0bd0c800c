# Nothing but a comment.
# ----
/* several
   lines */ pka { 'a': } # behind
# ----
pka { 'one': ensure => present, a => 1, }
# ----
pka { 'one': a => 1; 'two': a => 2, b => 3; 'three': ; }
# ----
pka { ['one', 'two two', 'Three::Four']: a => php-yum, b => yes, c => a::b }
# ----
pka {
  default:
    a => 1,
    b => [1];
  'x': ;
  'y':
    b => 2,
    c => 3;
  ['z', default-name]:
}
# ----
$h = { 'a' => 1, b => two }
pka { 'x': * => $h, c => 3 }
pka { 'y': * => { 'ensure' => absent, 'tag' => ['t', 'u::v'] } }
# ----
pka { 'n': a => [0, 1, 0x1F, 0XaB, 0755, -5, 1.5, -0.5, 1e3, 1.5E-2, 12345678901, 9223372036854775807] }
# ----
pka { 'w': a => [true, false, undef, default, [], {}, [undef], { 'k' => undef }], b => undef, c => default }
# ----
pka { 'r': a => /a.b/, b => [/x\/y/, /\d+$/], c => { 'k' => / / } }
# ----
pka { 'q': a => 'its', b => 'x\\y\'z\n', c => '', d => '
two lines' }
# ----
pka { 'd': a => "tab\there \$x \"q\" \\ \s| \u00e9 \u{1F600} \r\n", b => "line\
joined", c => 'a$b', d => "$ and 5$", e => "\'" }
# ----
$x = 'v'
$y = [1, { 'k' => 'deep' }]
$z = { 'a' => [1, 2], 'b' => undef, 1 => 'one' }
pka { "t-$x": a => "${x}", b => "${x} $x ${y[1]['k']} ${z['a'][0]}", c => "$y", d => "${z}", e => "${1 + 2}" }
# ----
$x = 'v'
pka { 't': a => "a${x}b${"c${x}"}d", b => "$::x ${::x}", c => "${[true, 1.0, default, -2]}", d => "${[1, 'a', undef]}", e => "$x[0]" }
# ----
$nested = "${'}'} ${ { 'a' => 1 }['a'] } ${[1,2][1]}"
pka { 't': a => $nested, b => "${/a\/b/}", c => "${Pka['t']}" }
# ----
pka { 'h': a => @(END), b => 2 }
  text $x \n
    more
  | END
# ----
$x = 'v'
pka { 'h': a => @("END"), b => @(TWO/tn$), c => @("THREE"/L) }
  one ${x} and $x \t
  | END
two\tand\n\$x $x
-TWO
    three \
    joined ${x}
    | - THREE
pka { 'after': }
# ----
pka { 'h': a => @("END":json/t) }
  {"a": "${1 + 1}"}
  |- END
# ----
pka { 'h': a => @(END:json)
  {"a": [1]}
  |- END
}
# ----
pka { 'h': a => @("END OF TEXT"/u$) }
\u00e9 \$x
not indented
    | END OF TEXT
# ----
pka { 'empty': a => @(END) }
END
# ----
pka { 'm': noop => true, loglevel => debug, schedule => daily, audit => all, alias => ['q', 'r'], tag => 'one' }
pka { 'n': noop => 'false', loglevel => 'verbose', tag => ['a', ['b', 'C::D']], alias => 's' }
pka { 'o': require => Pka['q'], before => [Pka['s']] }
# ----
pka { 'a': require => Pka['b', 'c'], before => [Pka['b'], [Pka['c']]], notify => Pka[['b', 'c']], subscribe => Pkb['x'] }
pka { ['b', 'c']: }
pkb { 'x': require => 'Pka[c]', before => undef }
# ----
pka { ['a', 'b']: before => undef, require => [], notify => [undef] }
# ----
Pka { a => 1, b => 2, tag => 'dflt' }
pka { 'x': }
pka { 'y': a => undef, tag => 'own' }
Pka { c => 3 }
pka { 'z': b => 9 }
Package_key { ensure => present }
package_key { 'k': }
# ----
Pka { a => 1, b => [2] }
pka { 'x': }
Pka['x'] { a => 5, c => 4, b +> 3 }
Pka['x', 'x'] { a => 1 }
# ----
Pka['later'] { a => 2, b => 3 }
pka { 'later': c => 1 }
Pka[['p', 'q']] { d => 1 }
pka { ['p', 'q']: }
# ----
pka { 'a': } -> pka { 'b': } ~> pka { 'c': } <- pka { 'd': } <~ pka { 'e': }
# ----
pka { ['a', 'b', 'c', 'd']: }
Pka['a'] -> [Pka['b'], Pka['c']] ~> Pka['d']
[Pka['a', 'b']] -> [] -> Pka['d', 'd']
Pka['c', 'd'] <- Pka['a']
# ----
pka { ['a', 'b']: before => [Pka['x']] }
pka { 'c': before => Pka['x'] }
pka { ['x', 'y']: }
Pka['a', 'c'] -> Pka['y']
# ----
$list = [Pka['b'], Pka['c']]
pka { ['b', 'c']: }
pka { 'a': } -> $list
# ----
$refs = pka { ['b', 'c']: }
pka { 'a': require => $refs }
# ----
$a = $b = 3
[$c, $d] = [4, [5]]
[$e, [$f, $g]] = [1, [2, 3]]
[$h, $i] = { 'i' => 'eye', 'h' => 'aitch', 'x' => 0 }
pka { 'v': a => [$a, $b, $c, $d], b => [$e, $f, $g], c => "$h$i" }
# ----
$x = [1, 2, 3, 4]
$h = { 'a' => { 'b' => ['c'] }, 1 => 'one', true => 'yes' }
pka { 'v': a => [$x[0], $x[-1], $x[9], $x[1, 2], $x[1, -1], $x[-2, 2], $x[9, 1]], b => $h['a']['b'][0], c => [$h[1], $h[true], $h['none'], $h['a', 1]], d => ['hello'[0], 'hello'[-1], 'hello'[1, 3], 'hello'[9], 'hello'[1, -2]], e => $x['1'] }
# ----
pka { 'v': a => [1 + 2, 7 - 10, 3 * 4, 7 / 2, -7 / 2, 7 % 3, -7 % 3, 1 << 4, -16 >> 2, 1 << -1], b => [1.5 + 1, 3 / 2.0, 2 * 0.5, 1 - 0.5], c => [1 + '2', '0x10' + 1, '1.5' * 2], d => [- 5, -(2 + 3), 2 + 3 * 4 - 1, (2 + 3) * 4] }
# ----
pka { 'v': a => [1] + 2 + [3, [4]] + { 'a' => 1 }, b => [1, 2, 2, 3] - 2, c => [1] << [2], d => { 'a' => 1 } + { 'b' => 2, 'a' => 3 } + ['c', 4], e => { 'a' => 1, 'b' => 2 } - 'a' - ['x'] }
# ----
pka { 'v': a => [1 == 1.0, 'a' == 'A', 'a' == 1, [1, 'x'] == [1, 'X'], { 'a' => 1 } == { 'a' => 1 }, undef == undef, true != false], b => [1 < 2, 2 <= 2.0, 'a' < 'B', 'b' >= 'B', 3 > 2], c => ['abc' =~ /b/, 'abc' !~ /b/, 'abc' =~ 'z', "b\na" =~ /^a$/], d => [true and false, true or false, !true, !undef, !'', true and !false or false] }
# ----
pka { 'v': a => ['b' in 'ABC', 'x' in ['a', 'X'], 'k' in { 'K' => 1 }, 1 in [1.0], 1 in 'a1', /b/ in ['abc'], /z/ in 'abc', /b/ in 5, 'a' in [/a/], 'x' in undef, undef in [undef]] }
# ----
if 1 == 1 { pka { 'then': } } else { pka { 'no': } }
if false { pka { 'no2': } } elsif undef { pka { 'no3': } } else { pka { 'else': } }
unless false { pka { 'unless': } }
unless true { } else { pka { 'other': } }
if '' { $set = 1 }
pka { 'after': a => $set }
# ----
case 'Abc' {
  'x', 'abc': { pka { 'matched': } }
  default: { pka { 'default': } }
}
case 5 { /5/: { pka { 'no': } } 4, 5.0: { pka { 'five': } } }
case 'text' { default: { pka { 'd': } } /e.t/: { pka { 'regexp': } } }
case [1, 'a'] { [1]: { } [1, /a/]: { pka { 'list': } } }
case 'x' { *['y', 'x']: { pka { 'unfolded': } } }
case 'none' { 'a': { pka { 'none': } } }
case { 'a' => 1, 'b' => 2 } { { 'b' => 2 }: { pka { 'hash': } } }
# ----
$x = 'b' ? { 'a' => 1, /b/ => 2, default => 3 }
$y = 'q' ? { default => 'd', 'z' => 'z', }
$z = 1 ? 1 => 'one'
pka { 'v': a => $x, b => $y, c => $z, d => true ? { true => [1], false => [2] } }
# ----
$s = 'secret'
pka { 'v': a => Sensitive('x'), b => Sensitive("pre-${s}"), c => Sensitive.new('y'), d => [Sensitive('z'), { 'k' => Sensitive(1) }], e => Sensitive(Sensitive([1, 2])) }
# ----
pka { 'v': a => "${Sensitive('x')}", b => Sensitive(undef), c => 1 }
# ----
Pka { a => Sensitive('d') }
pka { 'v': tag => undef }
# ----
pka { 'v': a => Pka['v'], b => [Pka['v'], Pkb['w']], c => [Pka['v'], 1, [2, [3]]], d => { 'k' => Pka['v'] }, e => [[1], [2]] }
# ----
pka { 'v': a => [*[1, 2], *undef, *'x', *{ 'k' => 'v' }], b => [a => 1, b => 2], c => [1, a => 1, 2], d => { type => function } }
# ----
Pka { 'capital': a => 1 }
# ----
pka { 'v': a => if true { 1 } else { 2 }, b => unless true { 1 }, c => case 1 { 1: { 'one' } } }
# ----
pka { "a${-1}b": } pka { 'n': name => 'other' }
pka { 'r': require => Pka['other'] }
Pka['other'] -> Pka['r']
# ----
pka { $title: a => $name, b => $module_name }
# ----
pka{'tight':a=>1,b=>[1,2],c=>{'x'=>1}}->pka{'next':}
# ----
	pka	{	'tabs':	a	=>	1	}
# ----
$a = (1 + 2)
(pka { 'x': a => $a })
# ----
$x = [
  'a',
  'b',
]
$y = {
  'a' => 'b',
  'c' => [
    1,
  ],
}
pka { $x: * => $y - 'c' }
# ----
pka { 'é ü 😀': a => 'ß' }
pka { 'Ünïcode': a => "\u00df" }
# ----
pka { 'x[y]': } pka { 'a]b': require => Pka['x[y]'] }
# ----
pka { 'x': a => "a
b", b => 'c
d' }
pka { 'line': }
# ----
pka { 'x': a => [1,2][0], b => 'abc'[1], c => { 'a' => 1 }['a'], d => (1 + 2) }
# ----
$x = 1 if $x == 1 { pka { 'one-line': } }
# ----
if true { 1 } else { 2 }
# ----
'last value'
# ----
pka { 'x': a => !true == false, b => -1 in [-1], c => 1 + 1 == 2 and 2 > 1, d => 'a' in 'abc' == true }
# ----
pka { 'stage': require => Stage['main'] }
# ----
pka { 'x': a => 010 + 0, b => '010' + 0, c => '1e2' + 0, d => ' 5 ' + 0 }
# ----
$_private = 1
pka { 'x': a => $_private, b => "${_private}" }
# ----
pka { 'tags': tag => [5, 'UPPER', 'x-y.z:w'] }
# ----
pka { 'x': , a => """, b => ''', c => ""$, d => 1 " }
# ----
pka { 'x': , }
Pka { , b => 1 }
# ----
$x = 'a' ? 'a' => { 'b' => 1 }
pka { 'x': a => $x ? { *['q'] => 1, default => 2, } }
# ----
pka { 'x[y': alias => 'z'; 'w[': alias => 'z'; 'z': loglevel => false }