# frozen_string_literal: true
require "json"

# Doc of M.
module M
  LIMIT = 10
  # Doc of C.
  class C < Base
    include Foo
    attr_reader :a, :b
    # Doc of run.
    def run(x)
      x + 1
    end

    def self.make = new
    private

    def []=(k, v)
      @h[k] = v
    end
    class << self
      def inner; end
    end
    scope :x, -> { 1 }
  end
end

def top; end
task :build do
  puts 1
end
describe "thing" do
  it "works" do
    1
  end
end
